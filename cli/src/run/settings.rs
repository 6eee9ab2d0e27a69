//! The settings of a run: options before variables, checked before the program starts.

use super::job::{self, Role};
use super::pattern::Pattern;
use super::stop::{FAILURE, Stop, USAGE};
use crate::arguments::RunArguments;
use crate::arguments::run::GivenSettings;
use crate::ask_tool::{Answer, ask};
use crate::formats::table::row;
use crate::random;
use ompttrace_recording::settings::{self, Cupti, Format, MpiMode, View};
use std::ffi::OsString;
use std::path::Path;

/// The settings of a run.
#[derive(Debug)]
pub struct Settings {
    /// Formats to make; if there are none, only the recordings are made.
    pub formats: Vec<Format>,
    pub view: Option<View>,
    /// The setting for MPI.
    pub mpi: MpiMode,
    /// The setting for NVIDIA's devices.
    pub cupti: Cupti,
    /// Maximum size of a trace for viewers, in bytes.
    pub limit: Option<u64>,
    /// True if nothing is to be printed unless something is wrong.
    pub quiet: bool,
    /// The part of the command in an MPI job.
    pub role: Role,
    /// The run folders' names.
    pub output: Pattern,
    /// A word that no other run has, by which recordings name their run.
    pub id: String,
    /// Name of the run's socket: a random word of its own, as all users can see it and must not be able to derive `id` from it.
    pub socket: String,
    /// Variables for the program.
    pub variables: Vec<(String, OsString)>,
}

impl Settings {
    /// Takes the options and the environment, and asks whether `library` can be used with them.
    pub fn new(arguments: &RunArguments, library: &Path) -> Result<Settings, Stop> {
        let mut taken = taken(&arguments.settings).map_err(|line| Stop::new(USAGE, line))?;
        let role = of_job(&mut taken, arguments);
        let given = arguments.settings.0.iter();
        let mut variables: Vec<_> =
            given.map(|(setting, value)| (setting.variable(), value.clone())).collect();
        check(&variables, library)?;
        if let Some(why) = taken.format.iter().find_map(|format| row(*format).not_built_in()) {
            return Err(Stop::new(USAGE, why));
        }
        let output = Pattern::from_here(&taken.output)
            .map_err(|error| Stop::new(FAILURE, format!("the working folder: {error}")))?;
        let word = || {
            random::word()
                .map_err(|error| Stop::new(FAILURE, format!("no random numbers: {error}")))
        };
        let (id, socket) = (word()?, word()?);
        // Traces are made here, when all is over; the library keeps to its recording.
        variables.extend([
            ("OMPTTRACE_FORMAT".to_owned(), "recording".into()),
            ("OMPTTRACE_QUIET".to_owned(), "1".into()),
            ("OMPTTRACE_OUTPUT".to_owned(), output.text().to_owned()),
            ("OMPTTRACE_RUN".to_owned(), format!("{id}.{socket}").into()),
        ]);
        let (view, limit, quiet) = (taken.view, taken.limit, arguments.quiet || taken.quiet);
        let (formats, mpi, cupti) = (taken.format, taken.mpi, taken.cupti);
        Ok(Settings {
            formats,
            view,
            mpi,
            cupti,
            limit,
            quiet,
            role,
            output,
            id,
            socket,
            variables,
        })
    }
}

/// Under a launcher, or in front of one, no trace is made unless it is asked for: that would be one of each rank, all at
/// once. Run folders of ranks lie in the folder of their job, unless they are named.
fn of_job(taken: &mut settings::Settings, arguments: &RunArguments) -> Role {
    let program = arguments.program.first().map(OsString::as_os_str).unwrap_or_default();
    let role = job::role(program, |name| std::env::var_os(name));
    let is_given = |name: &str| {
        let variable = std::env::var_os(format!("{}{}", settings::PREFIX, name.to_uppercase()));
        let given = arguments.settings.0.iter().any(|(setting, _)| setting.name == name);
        given || variable.is_some_and(|value| !value.is_empty())
    };
    if role != Role::Alone && !is_given("format") {
        taken.format.clear();
    }
    match job::output(role).filter(|_| !is_given("output")) {
        Some(output) => {
            taken.output = output;
            role
        }
        None => Role::Alone,
    }
}

/// The values of options and of variables for which there is no option. A variable may be empty, and counts as unset then;
/// an option needs a value.
fn taken(given: &GivenSettings) -> Result<settings::Settings, String> {
    let mut taken = settings::Settings::default();
    for (variable, value) in std::env::vars_os() {
        if !given.0.iter().any(|(setting, _)| variable == setting.variable().as_str()) {
            taken.take_variable(&variable, &value)?;
        }
    }
    for (setting, value) in &given.0 {
        let option = format!("--{} ", setting.name);
        if value.is_empty() {
            return Err(format!("{option}\"\" is not allowed: see `ompttrace run --help`"));
        }
        setting.take(&mut taken, &option, value)?;
    }
    Ok(taken)
}

fn check(variables: &[(String, OsString)], library: &Path) -> Result<(), Stop> {
    match ask(library, variables) {
        Answer::Accepted => Ok(()),
        Answer::Refused(why) => Err(Stop::new(USAGE, why)),
        Answer::Broken(why) => {
            Err(Stop::new(FAILURE, format!("{} cannot be used: {why}", library.display())))
        }
    }
}

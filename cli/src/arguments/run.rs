//! The options of `ompttrace run`.

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches, ValueEnum, value_parser};
use ompttrace_recording::settings::{RunOption, SETTINGS, Setting};
use std::ffi::OsString;

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The exit status is the program's; if a signal ended the program, the same signal ends this command.
126: the program cannot be executed; 127: no such program; 2: a wrong option; 1: it was not started.

Examples:
  ompttrace run -- ./lulesh -s 30
  ompttrace run --report -- ./lulesh -s 30
  ompttrace run --format otf2 --events=-mutex -- ./lulesh -s 30")]
pub struct RunArguments {
    #[command(flatten)]
    pub settings: GivenSettings,
    /// Run the program on another OpenMP runtime: LLVM's, for programs built by GCC
    #[arg(long, value_enum)]
    pub runtime: Option<Runtime>,
    /// Make the runtime keep what `ompttrace inspect --ompd` queries (OMP_DEBUG=enabled)
    #[arg(long)]
    pub inspectable: bool,
    /// Print the report on stderr at the end (`ompttrace report`)
    #[arg(long)]
    pub report: bool,
    /// Print nothing unless something is wrong
    #[arg(long)]
    pub quiet: bool,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true)]
    pub program: Vec<OsString>,
}

impl RunArguments {
    /// The program alone, recorded without a trace.
    pub fn recording_only(program: &[OsString], quiet: bool) -> RunArguments {
        let format = SETTINGS.iter().filter(|setting| setting.name == "format");
        let given = GivenSettings(format.map(|setting| (setting, "recording".into())).collect());
        RunArguments {
            settings: given,
            runtime: None,
            inspectable: false,
            report: false,
            quiet,
            program: program.to_vec(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Runtime {
    /// LLVM's libomp
    Libomp,
}

/// The settings that were given as options, with their values.
#[derive(Clone, Debug)]
pub struct GivenSettings(pub Vec<(&'static Setting, OsString)>);

impl GivenSettings {
    /// The option for a setting, if there is one.
    fn option(setting: &'static Setting) -> Option<Arg> {
        let (value, minus) = match setting.option {
            RunOption::None => return None,
            RunOption::Takes(value) => (value, false),
            RunOption::TakesMinus(value) => (value, true),
        };
        let help = format!("{} [default: {}]", (setting.help)(), setting.default);
        let option = Arg::new(setting.name).long(setting.name).value_name(value).help(help);
        Some(option.allow_hyphen_values(minus).value_parser(value_parser!(OsString)))
    }
}

impl Args for GivenSettings {
    fn augment_args(command: Command) -> Command {
        command.args(SETTINGS.iter().filter_map(GivenSettings::option))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for GivenSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<GivenSettings, Error> {
        let options = SETTINGS.iter().filter(|setting| setting.option != RunOption::None);
        let given = options.filter_map(|setting| {
            Some((setting, matches.get_one::<OsString>(setting.name)?.clone()))
        });
        Ok(GivenSettings(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

//! The folder in which the exporter starts.

use std::ffi::CString;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What a process that is started does first.
pub(crate) struct Actions(pub(crate) libc::posix_spawn_file_actions_t);

impl Actions {
    /// None yet; `None` where there is no memory for any.
    pub(crate) fn none() -> Option<Actions> {
        let mut actions = MaybeUninit::<libc::posix_spawn_file_actions_t>::uninit();
        // SAFETY: initialised by its function before it is used.
        unsafe {
            let made = libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) == 0;
            made.then(|| Actions(actions.assume_init()))
        }
    }

    /// It goes to `base`, where the program was started: the paths that it says are to lead there from the
    /// user's shell, wherever the program went meanwhile. Not if there is no way to it any more, as after a
    /// chroot, or if it may not be entered.
    pub(crate) fn go_back_to(&mut self, base: &Path) -> Option<()> {
        let folder = CString::new(base.as_os_str().as_bytes()).ok().filter(|_| base.is_dir())?;
        // SAFETY: a C string that lives during the call.
        let entered = unsafe {
            libc::faccessat(libc::AT_FDCWD, folder.as_ptr(), libc::X_OK, libc::AT_EACCESS)
        };
        if entered == 0 {
            // SAFETY: the actions are initialised; the folder's name is a C string that is copied.
            unsafe { libc::posix_spawn_file_actions_addchdir_np(&raw mut self.0, folder.as_ptr()) };
        }
        Some(())
    }

    /// It says nothing: descriptor 2 is a file of the program's.
    pub(crate) fn say_nothing(&mut self) {
        // SAFETY: the actions are initialised; the name is a C string that is copied.
        unsafe {
            let (null, writing) = (c"/dev/null".as_ptr(), libc::O_WRONLY);
            libc::posix_spawn_file_actions_addopen(&raw mut self.0, 2, null, writing, 0);
        }
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialised when it was made.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}

//! A category, as the part of a line between the time and the name.

pub(crate) use ompttrace_model::Category;

macro_rules! fragments {
    ($( $family:ident $name:literal ),+ $(,)?) => {
        /// `,"cat":"openmp.…","name":`
        #[inline]
        pub(crate) const fn fragment(family: Category) -> &'static [u8] {
            match family {
                $( Category::$family => concat!(",\"cat\":\"", $name, "\",\"name\":").as_bytes(), )+
            }
        }
    };
}

fragments! {
    Parallel "openmp.parallel", Task "openmp.task", Work "openmp.work", Sync "openmp.sync",
    Mutex "openmp.mutex", Target "openmp.target", Control "openmp.control", Tool "openmp.tool",
    Core "sched", Summary "openmp.summary", Mpi "mpi",
    Device "device", FirstLook "first look",
    State "state", StateSummary "state.summary", Phase "phase",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_have_the_names_of_the_categories() {
        for family in Category::ALL {
            let want = format!(",\"cat\":\"{}\",\"name\":", family.name());
            assert_eq!(fragment(family), want.as_bytes());
        }
    }
}

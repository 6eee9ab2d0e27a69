//! A category, as the part of a line between the time and the name.

pub(crate) use ompttrace_model::Category;

macro_rules! pieces {
    ($( $family:ident $name:literal ),+ $(,)?) => {
        /// `,"cat":"openmp.…","name":`
        #[inline]
        pub(crate) const fn piece(family: Category) -> &'static [u8] {
            match family {
                $( Category::$family => concat!(",\"cat\":\"", $name, "\",\"name\":").as_bytes(), )+
            }
        }
    };
}

pieces! {
    Parallel "openmp.parallel", Task "openmp.task", Work "openmp.work", Sync "openmp.sync",
    Mutex "openmp.mutex", Target "openmp.target", Control "openmp.control", Tool "openmp.tool",
    Core "sched", Summary "openmp.summary",
    State "state", StateSummary "state.summary",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_bear_the_names_of_the_families() {
        for family in Category::ALL {
            let want = format!(",\"cat\":\"{}\",\"name\":", family.name());
            assert_eq!(piece(family), want.as_bytes());
        }
    }
}

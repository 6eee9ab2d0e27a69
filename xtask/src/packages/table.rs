//! Debian packages that each command needs, and the one file or program by
//! which the presence of each is recognised.

use super::look::Sign::{self, File, Program};

/// Commands that need packages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Demo,
    Test,
    Bench,
    Bindings,
    Dist,
    Spark,
}

/// One package.
pub struct Package {
    pub name: &'static str,
    pub sign: Sign,
    pub purposes: &'static [Purpose],
}

use Purpose::{Bench, Bindings, Demo, Dist, Spark, Test};

/// The table; `cargo xtask packages` walks it from top to bottom.
pub const PACKAGES: &[Package] = &[
    package("clang-19", Program("clang-19"), &[Demo, Test, Bench]),
    // Brings omp.h and omp-tools.h too.
    package(
        "libomp-19-dev",
        File("/usr/lib/llvm-19/lib/libomp.so"),
        &[Demo, Test, Bench, Bindings],
    ),
    // Only the library is needed to generate bindings, not the -dev package.
    package("libclang1-19", File("/usr/lib/llvm-19/lib/libclang-19.so.1"), &[Test, Bindings]),
    // The command line writes OTF2; its build finds the library with pkg-config.
    package(
        "libopen-trace-format2-dev",
        File("/usr/include/otf2/otf2.h"),
        &[Demo, Test, Bench, Bindings],
    ),
    package("pkg-config", Program("pkg-config"), &[Demo, Test, Bench]),
    package("libc6-dev", File("/usr/include/stdlib.h"), &[Demo, Test, Bench, Bindings]),
    package("flang-16", Program("flang-new-16"), &[Test]),
    // clang only recommends it, and cannot pack `target` regions without.
    package("clang-tools-19", File("/usr/lib/llvm-19/bin/clang-offload-packager"), &[Test]),
    // llvm-addr2line judges our symbols.
    package("llvm-19", Program("llvm-addr2line-19"), &[Test]),
    package("gcc", Program("gcc"), &[Test]),
    // Programs with several ranks.
    package("openmpi-bin", Program("mpirun.openmpi"), &[Test, Bench]),
    package("libopenmpi-dev", Program("mpicc.openmpi"), &[Test, Bench]),
    package("mpich", Program("mpirun.mpich"), &[Test, Bench]),
    package("libmpich-dev", Program("mpicc.mpich"), &[Test, Bench]),
    package("python3-mpi4py", File("/usr/lib/python3/dist-packages/mpi4py/__init__.py"), &[Test]),
    package("g++", Program("g++"), &[Test]),
    package("gfortran", Program("gfortran"), &[Test]),
    // The examples have a Makefile.
    package("make", Program("make"), &[Test]),
    package("binutils", Program("objdump"), &[Dist, Test]),
    // otf2-print judges our archives.
    package("otf2-tools", Program("otf2-print"), &[Test]),
    package("python3-otf2", File("/usr/lib/python3/dist-packages/otf2/__init__.py"), &[Test]),
    // python3-otf2 imports it and does not ask for it.
    package("python3-six", File("/usr/lib/python3/dist-packages/six.py"), &[Test]),
    package("nodejs", Program("node"), &[Test]),
    package("npm", Program("npm"), &[Test]),
    // Draws the page of a report.
    package("chromium", Program("chromium"), &[Test]),
    package("python3", Program("python3"), &[Dist, Test]),
    package("python3-pip", Program("pip3"), &[Dist, Test]),
    package("python3-venv", File("/usr/lib/python3.11/ensurepip/__init__.py"), &[Dist]),
    // rpmbuild, and what unpacks its packages.
    package("rpm", Program("rpmbuild"), &[Dist]),
    package("cpio", Program("cpio"), &[Dist]),
    // gcore writes core files of programs that run.
    package("gdb", Program("gcore"), &[Test]),
    // Shows by which paths commands open files.
    package("strace", Program("strace"), &[Test]),
    package("openjdk-17-jre-headless", Program("java"), &[Spark]),
    package("valgrind", Program("valgrind"), &[Test, Bench]),
];

const fn package(name: &'static str, sign: Sign, purposes: &'static [Purpose]) -> Package {
    Package { name, sign, purposes }
}

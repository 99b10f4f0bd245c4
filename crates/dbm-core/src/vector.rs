//! Loops compiled for the vector unit that is found at run time.

use pulp::Arch;

/// Runs `f` compiled for the machine's vector unit. Mark the closure `#[inline(always)]`: what is not inlined here is compiled for the
/// oldest machine of its kind instead, at a quarter of the speed, and nothing says so but `./run bench kernels`.
///
/// Asking for `FnOnce` by name matters too. A closure handed to `pulp` itself is one of the kind that its body allows, and such a one, called once, is called
/// through a function that cannot be marked.
#[inline(always)]
pub(crate) fn vectorized<R>(f: impl FnOnce() -> R) -> R {
    Arch::new().dispatch(f)
}

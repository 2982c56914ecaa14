"""Rust code around a program: it calls the entry point, and reports panics to the tracer.

It is compiled as a module of the program's crate, after the text, whose lines keep their numbers.
The program's own `main` is an ordinary function then.
"""

from worldline.languages.rust.rust_source import uses_name

# In front of the first line, where a crate's attributes have to be.
_NO_MAIN = "#![no_main] "
_DRIVER = """
mod MODULE {
    #[no_mangle]
    #[inline(never)]
    pub extern "C" fn worldline_panic(text: *const u8, size: usize) {
        std::hint::black_box((text, size));
    }

    // Always the same numbers: they are the seeds of HashMap.
    #[no_mangle]
    pub unsafe extern "C" fn __wrap_getrandom(buffer: *mut u8, size: usize, _flags: u32) -> isize {
        for index in 0..size {
            *buffer.add(index) = index as u8;
        }
        size as isize
    }

    fn report(payload: &(dyn std::any::Any + Send)) {
        let text: &str = if let Some(text) = payload.downcast_ref::<&'static str>() {
            text
        } else if let Some(text) = payload.downcast_ref::<String>() {
            text
        } else {
            return worldline_panic(std::ptr::null(), 0);
        };
        worldline_panic(text.as_ptr(), text.len());
    }

    #[no_mangle]
    pub extern "C" fn main(_count: i32, _arguments: *const *const u8) -> i32 {
        std::panic::set_hook(Box::new(|info| report(info.payload())));
        let ended = std::panic::catch_unwind(|| {
            CALL
        });
        std::process::exit(ended.unwrap_or(101))
    }
}
"""
_CALL_ENTRY = "let _ = super::{name}(); 0"
# The value of `main` can be a Result; an error is printed.
_CALL_MAIN = "let _ = std::process::Termination::report(super::main()); 0"


def driver_module(text: str) -> str:
    """The name of the driver's module, which the text does not use."""
    module = "worldline_driver"
    while uses_name(text, module):
        module += "_"
    return module


def add_driver(text: str, entry: str | None) -> str:
    """The text of a program with its driver.

    Args:
        text: The text of the program.
        entry: The name of the entry point; None for `main`.
    """
    call = _CALL_MAIN if entry is None else _CALL_ENTRY.format(name=entry)
    driver = _DRIVER.replace("MODULE", driver_module(text)).replace("CALL", call)
    return f"{_NO_MAIN}{text}\n{driver}"

/* A frame goes in, what it is doing and the values of its variables come out.

   The one place that knows how each version of Python lays out a frame. */

#ifndef WORLDLINE_FRAMES_H
#define WORLDLINE_FRAMES_H

#include "code.h"

#include "internal/pycore_frame.h"

#if PY_VERSION_HEX < 0x030c0000
#define RECURSION_LEFT recursion_remaining
#else
#define RECURSION_LEFT py_recursion_remaining
#endif

/* The numbers of the instructions that a return event can stand at. */
static struct {
    int resume, return_value, return_const, yield_value;
} instruction;

static inline PyCodeObject *
frame_code(const PyFrameObject *frame)
{
#if PY_VERSION_HEX < 0x030d0000
    return frame->f_frame->f_code;
#else
    return (PyCodeObject *)frame->f_frame->f_executable;
#endif
}

static inline PyObject *
frame_namespace(const PyFrameObject *frame)
{
    return frame->f_frame->f_locals;
}

/* The value of a function's variable, borrowed, or NULL if it has none. */
static inline PyObject *
frame_value(const PyFrameObject *frame, const Code *code, int i)
{
    PyObject *value = frame->f_frame->localsplus[i];
    if ((code->kinds[i] & (IS_CELL | IS_FREE)) && value != NULL && PyCell_Check(value)) {
        return PyCell_GET(value);
    }
    return value;
}

/* -- what it is doing ------------------------------------------------------------------------- */

static inline int
instruction_at(const Code *code, int at)
{
    return ((const unsigned char *)PyBytes_AS_STRING(code->instructions))[at];
}

/* At a call event: whether the frame starts, rather than being resumed after a yield. */
static inline int
is_fresh(PyFrameObject *frame, const Code *code)
{
    int at = PyFrame_GetLasti(frame);
    return at < 0 || (instruction_at(code, at) == instruction.resume &&
                      (instruction_at(code, at + 1) & 3) == 0);
}

/* At a return event: whether a return statement is being executed. */
static inline int
is_returning(const Code *code, int at)
{
    int doing = at < 0 ? -1 : instruction_at(code, at);
    return doing == instruction.return_value || (doing >= 0 && doing == instruction.return_const);
}

/* At a return event: whether a frame that can be resumed stands at its yield. */
static inline int
is_yielding(PyFrameObject *frame, const Code *code, int at)
{
    int doing = at < 0 ? -1 : instruction_at(code, at);
    /* From 3.13 it already stands where it will be resumed. */
    return doing == instruction.yield_value ||
           (doing == instruction.resume && !is_fresh(frame, code));
}

/* What a yield gives; an async generator's comes wrapped, in a type that Python hides. */
static inline PyObject *
yielded(PyFrameObject *frame, PyObject *value)
{
    typedef struct {
        PyObject_HEAD
        PyObject *value;
    } Wrapper;
    int is_wrapped = (frame_code(frame)->co_flags & CO_ASYNC_GENERATOR) &&
                     strcmp(Py_TYPE(value)->tp_name, "async_generator_wrapped_value") == 0;
    return is_wrapped ? ((Wrapper *)value)->value : value;
}

#endif

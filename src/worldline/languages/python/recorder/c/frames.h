/* Access to frames: the current instruction and the values of variables.

   The layout of frames differs between versions of Python; only this file depends on it. */

#ifndef WORLDLINE_FRAMES_H
#define WORLDLINE_FRAMES_H

#include "code_info.h"

#include "internal/pycore_frame.h"
#if PY_VERSION_HEX >= 0x030e0000
#include "internal/pycore_interpframe_structs.h"
#include "internal/pycore_stackref.h"
#endif

#if PY_VERSION_HEX < 0x030c0000
#define RECURSION_LEFT recursion_remaining
#else
#define RECURSION_LEFT py_recursion_remaining
#endif

/* Opcodes of the instructions at which a return event can occur. */
static struct {
    int resume, return_value, return_const, yield_value;
} instruction;

static inline PyCodeObject *
frame_code(const PyFrameObject *frame)
{
#if PY_VERSION_HEX < 0x030d0000
    return frame->f_frame->f_code;
#elif PY_VERSION_HEX < 0x030e0000
    return (PyCodeObject *)frame->f_frame->f_executable;
#else
    return (PyCodeObject *)PyStackRef_AsPyObjectBorrow(frame->f_frame->f_executable);
#endif
}

static inline PyObject *
frame_namespace(const PyFrameObject *frame)
{
    return frame->f_frame->f_locals;
}

/* The value of a function's variable, as a borrowed reference, or NULL if it has none. */
static inline PyObject *
frame_value(const PyFrameObject *frame, const CodeInfo *code, int i)
{
#if PY_VERSION_HEX < 0x030e0000
    PyObject *value = frame->f_frame->localsplus[i];
#else
    PyObject *value = PyStackRef_AsPyObjectBorrow(frame->f_frame->localsplus[i]);
#endif
    if ((code->kinds[i] & (IS_CELL | IS_FREE)) && value != NULL && PyCell_Check(value)) {
        return PyCell_GET(value);
    }
    return value;
}

/* -- current instruction ---------------------------------------------------------------------- */

static inline int
instruction_at(const CodeInfo *code, int offset)
{
    return ((const unsigned char *)PyBytes_AS_STRING(code->instructions))[offset];
}

/* At a call event: whether the frame starts, and is not resumed after a yield. */
static inline int
is_fresh(PyFrameObject *frame, const CodeInfo *code)
{
    int offset = PyFrame_GetLasti(frame);
    return offset < 0 || (instruction_at(code, offset) == instruction.resume &&
                          (instruction_at(code, offset + 1) & 3) == 0);
}

/* At a return event: whether a return statement is being executed. */
static inline int
is_returning(const CodeInfo *code, int offset)
{
    int opcode = offset < 0 ? -1 : instruction_at(code, offset);
    return opcode == instruction.return_value || (opcode >= 0 && opcode == instruction.return_const);
}

/* At a return event: whether the frame yields and can be resumed. */
static inline int
is_yielding(PyFrameObject *frame, const CodeInfo *code, int offset)
{
    int opcode = offset < 0 ? -1 : instruction_at(code, offset);
    /* From 3.13 it is already at the instruction that resumes it. */
    return opcode == instruction.yield_value ||
           (opcode == instruction.resume && !is_fresh(frame, code));
}

/* The value of a yield; that of an async generator is wrapped in a private type of Python. */
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

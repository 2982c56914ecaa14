/* The recorder at the speed of the engine: events of the interpreter go in, rows of JSON come out.

   One trace function, called by the interpreter itself; what it writes and when is what the
   reference (inner/tracer.py) does, byte for byte. There is one recording a process. */

#define PY_SSIZE_T_CLEAN
/* Frames and dicts are read where they are: their layout is the interpreter's own affair. */
#define Py_BUILD_CORE_MODULE
#include <Python.h>
#include <pthread.h>
#include <signal.h>

#include "steps.h"

/* -- events ---------------------------------------------------------------------------------- */

/* The activation that an event belongs to; a generator is resumed in the one it has. */
static Scope *
scope_of(PyFrameObject *frame, Code *code, int event)
{
    Scope *scope = find_scope(frame);
    if (scope != NULL &&
        (scope->code != code || (event == PyTrace_CALL && is_fresh(frame, code)))) {
        /* The frame that had this address died unseen. */
        end_scope(scope, 0);
        scope = NULL;
    }
    if (scope != NULL) {
        return scope;
    }
    PyObject *namespace = code->is_function ? NULL : frame_namespace(frame);
    return write_scope(code) < 0
               ? NULL
               : begin_scope(frame, code, namespace, frame_code(frame)->co_firstlineno);
}

/* Python reports a frame left by an exception as a return of None. What it was doing tells the
   two apart, save where an exception was thrown into a generator at its yield. */
static int
write_return(PyFrameObject *frame, Scope *scope, int line, PyObject *value)
{
    int at = PyFrame_GetLasti(frame);
    /* As a trace function in Python is told, where 3.11 tells one in C that there is none. */
    value = value == NULL ? Py_None : value;
    int is_where_it_raised = at >= 0 && scope->raised_at == at &&
                             scope->raised_line != PyFrame_GetLineNumber(frame);
    if (is_yielding(frame, scope->code, at) && !is_where_it_raised) {
        return write_leaving(scope, PyTrace_RETURN, line, yielded(frame, value));
    }
    value = is_returning(scope->code, at) ? value : NULL;
    int result = write_leaving(scope, PyTrace_RETURN, line, value);
    end_scope(scope, 1);
    return result;
}

static int
write_step(PyFrameObject *frame, Code *code, int event, PyObject *value)
{
    if (core.steps_left <= 0) {
        finish("step_limit");
        return -1;
    }
    Scope *scope = scope_of(frame, code, event);
    if (scope == NULL) {
        return -1;
    }
    core.steps_left--;
    /* Cleaning up behind an exception, Python may be on no line. */
    int line = PyFrame_GetLineNumber(frame);
    scope->last_line = line = line > 0 ? line : scope->last_line;
    switch (event) {
    case PyTrace_CALL:
        scope->raised_at = -1;
        break;
    case PyTrace_LINE:
        scope->raised_line = line;
        break;
    case PyTrace_EXCEPTION:
        scope->raised_at = PyFrame_GetLasti(frame);
        scope->raised_line = -1; /* as a line that is none */
        return write_leaving(scope, event, line, value);
    default:
        return write_return(frame, scope, line, value);
    }
    return code->is_function ? step_in_function(frame, scope, event, line)
                             : step_in_namespace(frame, scope, event, line);
}

/* Tell Python what went wrong in here: it must not look like the program's. */
static void
tell_failure(void)
{
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    if (type == NULL) {
        return;
    }
    PyErr_NormalizeException(&type, &error, &traceback);
    lend_headroom(HEADROOM);
    PyObject *done = PyObject_CallOneArg(core.failed, error);
    lend_headroom(-HEADROOM);
    Py_XDECREF(done);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    PyErr_Clear();
}

/* -- threads --------------------------------------------------------------------------------- */

static _Thread_local int thread_number;

/* Wait until no other thread is at work in here: rendering in Python lets others run. */
static void
take_turn(void)
{
    if (core.turn == NULL) {
        return;
    }
    if (!PyThread_acquire_lock(core.turn, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS
        PyThread_acquire_lock(core.turn, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    core.owner = PyThread_get_thread_ident();
}

static void
end_turn(void)
{
    if (core.turn != NULL) {
        core.owner = 0;
        PyThread_release_lock(core.turn);
    }
}

/* Say so where another thread has written the row before. */
static inline int
tell_thread(void)
{
    return core.turn == NULL || core.thread == thread_number ? 0 : write_thread(thread_number);
}

static int
on_event(PyObject *Py_UNUSED(self), PyFrameObject *frame, int event, PyObject *value)
{
    if (!core.is_on || event > PyTrace_RETURN) {
        return 0;
    }
    Code *code = code_of(frame_code(frame));
    if (code != NULL && !code->is_program) {
        return 0;
    }
    take_turn();
    if (!core.is_on) { /* it was closed meanwhile */
        end_turn();
        return 0;
    }
    core.is_busy = 1;
    if (code != NULL && tell_thread() == 0 && write_step(frame, code, event, value) == 0) {
        core.steps++;
    }
    else {
        tell_failure();
    }
    core.is_busy = 0;
    end_turn();
    /* A handler of the program's waits until the program itself goes on. */
    if (PyList_GET_SIZE(core.signals) > 0) {
        PyObject *last = PyList_GET_ITEM(core.signals, PyList_GET_SIZE(core.signals) - 1);
        int number = (int)PyLong_AsLong(last);
        PyList_SetSlice(core.signals, PyList_GET_SIZE(core.signals) - 1,
                        PyList_GET_SIZE(core.signals), NULL);
        PyErr_SetInterruptEx(number);
    }
    return 0;
}

static int
on_nothing(PyObject *Py_UNUSED(self), PyFrameObject *Py_UNUSED(frame), int Py_UNUSED(event),
           PyObject *Py_UNUSED(value))
{
    return 0;
}

/* -- frames that would be silent --------------------------------------------------------------- */

static PyObject *
get_trace_lines(PyObject *frame, void *Py_UNUSED(none))
{
    return PyBool_FromLong(((PyFrameObject *)frame)->f_trace_lines);
}

/* A frame whose lines are not to be told of: so be it, and it is known. */
static int
set_trace_lines(PyObject *frame, PyObject *value, void *Py_UNUSED(none))
{
    if (value == NULL || !PyBool_Check(value)) {
        PyErr_SetString(PyExc_TypeError, value == NULL ? "can't delete numeric/char attribute"
                                                       : "attribute value type must be bool");
        return -1;
    }
    core.is_silenced |= value == Py_False;
    ((PyFrameObject *)frame)->f_trace_lines = value == Py_True;
    return 0;
}

static PyGetSetDef trace_lines = {"f_trace_lines", get_trace_lines, set_trace_lines, NULL, NULL};

static int
watch_frames(void)
{
#if PY_VERSION_HEX >= 0x030c0000
    PyObject *names = PyType_GetDict(&PyFrame_Type);
#else
    PyObject *names = Py_XNewRef(PyFrame_Type.tp_dict);
#endif
    PyObject *ours = names == NULL ? NULL : PyDescr_NewGetSet(&PyFrame_Type, &trace_lines);
    int result = ours == NULL ? -1 : PyDict_SetItemString(names, "f_trace_lines", ours);
    PyType_Modified(&PyFrame_Type);
    Py_XDECREF(ours);
    Py_XDECREF(names);
    return result;
}

/* -- the module ------------------------------------------------------------------------------ */

/* A process that the program starts is not recorded; it has not got the memory either. */
static void
leave_to_parent(void)
{
    core.is_on = core.is_busy = 0;
    core.memory.start = NULL;
}

static int
set_up(PyObject *filename)
{
    program_filename = Py_NewRef(filename);
    module_key = PyUnicode_InternFromString("__module__");
    extra_index = REQUEST_EXTRA(free_code);
    if (module_key == NULL || extra_index < 0) {
        PyErr_SetString(PyExc_SystemError, "no place for what is known of code objects");
        return -1;
    }
    if (pthread_atfork(NULL, NULL, leave_to_parent) != 0) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(open_doc,
             "open(fd, size, filename, *, steps, trace_bytes, value_chars, instructions, render, "
             "finish, failed, signals, has_threads)\n\n"
             "Make ready to record, once a process. Rows go into the memory file `fd`, of `size`\n"
             "bytes, which is sealed and closed; `filename` is the very object that the program's\n"
             "code was compiled with.");

static PyObject *
core_open(PyObject *Py_UNUSED(module), PyObject *args, PyObject *names)
{
    static char *keywords[] = {"fd",     "size",   "filename", "steps",  "trace_bytes",
                               "value_chars", "instructions", "render", "finish", "failed",
                               "signals", "has_threads", NULL};
    int fd, has_threads;
    Py_ssize_t size;
    long long steps, bytes, characters;
    PyObject *filename, *render, *finish, *failed, *signals;
    if (!PyArg_ParseTupleAndKeywords(
            args, names, "inU$LLL(iiii)OOOO!p:open", keywords, &fd, &size, &filename, &steps,
            &bytes, &characters, &instruction.resume, &instruction.return_value,
            &instruction.return_const, &instruction.yield_value, &render, &finish, &failed,
            &PyList_Type, &signals, &has_threads)) {
        return NULL;
    }
    if (core.render != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "a process is recorded once");
        return NULL;
    }
    if (set_up(filename) < 0 || watch_frames() < 0) {
        return NULL;
    }
    if (memory_open(&core.memory, fd, (size_t)size, bytes) < 0) {
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    if (has_threads && (core.turn = PyThread_allocate_lock()) == NULL) {
        return PyErr_NoMemory();
    }
    /* Longer than any value, and not too long to count with. */
    core.text.limit = characters < 1LL << 40 ? characters : 1LL << 40;
    core.steps_left = steps;
    core.render = Py_NewRef(render);
    core.finish = Py_NewRef(finish);
    core.failed = Py_NewRef(failed);
    core.signals = Py_NewRef(signals);
    Py_RETURN_NONE;
}

static PyObject *
core_start(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    if (core.memory.start == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "open it first");
        return NULL;
    }
    core.is_on = 1;
    PyEval_SetTrace(on_event, NULL);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(start_thread_doc,
             "start_thread(frame)\n\nRecord the calling thread, whose first call is of this frame.");

static PyObject *
core_start_thread(PyObject *Py_UNUSED(module), PyObject *frame)
{
    if (core.turn == NULL || !PyFrame_Check(frame)) {
        PyErr_SetString(PyExc_RuntimeError, "threads are not recorded");
        return NULL;
    }
    thread_number = ++core.threads;
    PyEval_SetTrace(on_event, NULL);
    on_event(NULL, (PyFrameObject *)frame, PyTrace_CALL, Py_None);
    Py_RETURN_NONE;
}

/* Other threads are recorded until the end. */
static PyObject *
core_stop(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    int is_ours = PyThreadState_Get()->c_tracefunc == on_event && !core.is_silenced;
    core.is_on = core.is_on && core.turn != NULL;
    PyEval_SetTrace(NULL, NULL);
    return PyBool_FromLong(is_ours);
}

PyDoc_STRVAR(close_doc,
             "close(row)\n\nWrite the last row and, behind it, how many steps and scopes there "
             "were; nothing can be written after.");

static PyObject *
core_close(PyObject *Py_UNUSED(module), PyObject *row)
{
    char *bytes, said[80];
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(row, &bytes, &size) < 0) {
        return NULL;
    }
    if (core.owner != PyThread_get_thread_ident()) {
        take_turn();
    }
    core.is_on = 0;
    if (core.memory.start != NULL) {
        int more = snprintf(said, sizeof said, "[\"epilogue\",%lld,%lld]\n", (long long)core.steps,
                            (long long)core.scopes);
        if ((size_t)size + (size_t)more <= memory_room(&core.memory)) {
            memcpy(memory_end(&core.memory), bytes, (size_t)size);
            memcpy(memory_end(&core.memory) + size, said, (size_t)more);
            memory_commit(&core.memory, (size_t)size + (size_t)more);
        }
        memory_close(&core.memory);
        end_all_scopes();
    }
    Py_RETURN_NONE;
}

static PyObject *
core_is_busy(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    return PyBool_FromLong(core.is_busy);
}

static PyObject *
core_start_empty(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    PyEval_SetTrace(on_nothing, NULL);
    Py_RETURN_NONE;
}

#if PY_VERSION_HEX < 0x030d0000
extern void PyFrame_LocalsToFast(PyFrameObject *, int); /* no header has it any more */
#endif

/* For the reference, which gets a copy of the locals of a frame that it looks at. */
static PyObject *
core_write_back(PyObject *Py_UNUSED(module), PyObject *frame)
{
    if (!PyFrame_Check(frame)) {
        PyErr_SetString(PyExc_TypeError, "not a frame");
        return NULL;
    }
#if PY_VERSION_HEX < 0x030d0000
    PyFrame_LocalsToFast((PyFrameObject *)frame, 0);
#endif
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"open", (PyCFunction)(void (*)(void))core_open, METH_VARARGS | METH_KEYWORDS, open_doc},
    {"start", core_start, METH_NOARGS, "Record the calling thread from its next event on."},
    {"start_thread", core_start_thread, METH_O, start_thread_doc},
    {"stop", core_stop, METH_NOARGS, "Stop in this thread; says whether it was recorded until now."},
    {"close", core_close, METH_O, close_doc},
    {"is_busy", core_is_busy, METH_NOARGS, "Whether an event is being turned into a step."},
    {"write_back", core_write_back, METH_O, "Take it that a copy of a frame's locals is as they are."},
    {"start_empty", core_start_empty, METH_NOARGS,
     "Call a trace function that does nothing: what every recorder pays, to measure against."},
    {0},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_core",
    .m_doc = "Records a program from inside the interpreter.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__core(void)
{
    return PyModule_Create(&definition);
}

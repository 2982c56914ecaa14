/* Tracer: a trace function in C that writes the events of the interpreter as rows of JSON.

   It writes the same bytes as the reference tracer (child/settrace_tracer.py). There is one
   recording at a time. */

#define PY_SSIZE_T_CLEAN
/* The tracer reads frames and dicts directly, whose layout is internal to the interpreter. */
#define Py_BUILD_CORE_MODULE
#include <Python.h>
#include <pthread.h>
#include <signal.h>

#include "steps.h"

/* -- events ---------------------------------------------------------------------------------- */

/* The scope of an event; a generator that is resumed keeps its scope. */
static Scope *
get_scope(PyFrameObject *frame, CodeInfo *code, int event)
{
    Scope *scope = find_scope(frame);
    if (scope != NULL &&
        (scope->code != code || (event == PyTrace_CALL && is_fresh(frame, code)))) {
        /* The frame that had this address ended without an event. */
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

/* Python reports a frame that an exception leaves as a return of None. The current instruction
   distinguishes the two, except if an exception was thrown into a generator at its yield. */
static int
write_return(PyFrameObject *frame, Scope *scope, int line, PyObject *value)
{
    int offset = PyFrame_GetLasti(frame);
    /* 3.11 passes NULL to a trace function in C, and None to one in Python. */
    value = value == NULL ? Py_None : value;
    int is_where_it_raised = offset >= 0 && scope->raised_at == offset &&
                             scope->raised_line != PyFrame_GetLineNumber(frame);
    if (is_yielding(frame, scope->code, offset) && !is_where_it_raised) {
        return write_value_step(scope, PyTrace_RETURN, line, yielded(frame, value));
    }
    value = is_returning(scope->code, offset) ? value : NULL;
    int result = write_value_step(scope, PyTrace_RETURN, line, value);
    end_scope(scope, 1);
    return result;
}

static int
write_step(PyFrameObject *frame, CodeInfo *code, int event, PyObject *value)
{
    if (tracer.steps_left <= 0) {
        finish("step_limit");
        return -1;
    }
    Scope *scope = get_scope(frame, code, event);
    if (scope == NULL) {
        return -1;
    }
    tracer.steps_left--;
    /* During the cleanup after an exception, Python may have no line. */
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
        scope->raised_line = -1; /* not a line */
        return write_value_step(scope, event, line, value);
    default:
        return write_return(frame, scope, line, value);
    }
    return code->is_function ? write_function_step(frame, scope, event, line)
                             : write_namespace_step(frame, scope, event, line);
}

/* Report an error of the tracer to Python, so that it does not look like one of the program. */
static void
report_error(void)
{
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    if (type == NULL) {
        return;
    }
    PyErr_NormalizeException(&type, &error, &traceback);
    extend_recursion_limit(HEADROOM);
    PyObject *done = PyObject_CallOneArg(tracer.on_error, error);
    extend_recursion_limit(-HEADROOM);
    Py_XDECREF(done);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    PyErr_Clear();
}

/* -- threads --------------------------------------------------------------------------------- */

static _Thread_local int thread_number;

/* Wait until no other thread writes rows: rendering in Python lets other threads run. */
static void
acquire_lock(void)
{
    if (tracer.lock == NULL) {
        return;
    }
    if (!PyThread_acquire_lock(tracer.lock, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS
        PyThread_acquire_lock(tracer.lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    tracer.owner = PyThread_get_thread_ident();
}

static void
release_lock(void)
{
    if (tracer.lock != NULL) {
        tracer.owner = 0;
        PyThread_release_lock(tracer.lock);
    }
}

/* Write a row if the last row was of another thread. */
static inline int
write_thread_change(void)
{
    return tracer.lock == NULL || tracer.thread == thread_number ? 0 : write_thread(thread_number);
}

/* Let the scheduler switch to another thread before a line. */
static int
call_scheduler(void)
{
    if (tracer.before_line == Py_None) {
        return 0;
    }
    extend_recursion_limit(HEADROOM);
    PyObject *done = PyObject_CallNoArgs(tracer.before_line);
    extend_recursion_limit(-HEADROOM);
    if (done == NULL) {
        report_error();
        return -1;
    }
    Py_DECREF(done);
    return 0;
}

static int
on_event(PyObject *Py_UNUSED(self), PyFrameObject *frame, int event, PyObject *value)
{
    if (!tracer.is_recording || event > PyTrace_RETURN) {
        return 0;
    }
    CodeInfo *code = get_code_info(frame_code(frame));
    if (code != NULL && !code->is_program) {
        return 0;
    }
    if (code != NULL && event == PyTrace_LINE && call_scheduler() < 0) {
        return 0;
    }
    acquire_lock();
    if (!tracer.is_recording) { /* closed meanwhile */
        release_lock();
        return 0;
    }
    tracer.is_busy = 1;
    if (code != NULL && write_thread_change() == 0 && write_step(frame, code, event, value) == 0) {
        tracer.steps++;
    }
    else {
        report_error();
    }
    tracer.is_busy = 0;
    release_lock();
    /* A delayed signal handler runs when the program continues. */
    if (PyList_GET_SIZE(tracer.signals) > 0) {
        PyObject *last = PyList_GET_ITEM(tracer.signals, PyList_GET_SIZE(tracer.signals) - 1);
        int number = (int)PyLong_AsLong(last);
        PyList_SetSlice(tracer.signals, PyList_GET_SIZE(tracer.signals) - 1,
                        PyList_GET_SIZE(tracer.signals), NULL);
        PyErr_SetInterruptEx(number);
    }
    return 0;
}

static int
ignore_event(PyObject *Py_UNUSED(self), PyFrameObject *Py_UNUSED(frame), int Py_UNUSED(event),
             PyObject *Py_UNUSED(value))
{
    return 0;
}

/* -- interception of f_trace_lines ----------------------------------------------------------- */

static PyObject *
get_trace_lines(PyObject *frame, void *Py_UNUSED(none))
{
    return PyBool_FromLong(((PyFrameObject *)frame)->f_trace_lines);
}

/* Allow a program to switch line events of a frame off, but remember it. */
static int
set_trace_lines(PyObject *frame, PyObject *value, void *Py_UNUSED(none))
{
    if (value == NULL || !PyBool_Check(value)) {
        PyErr_SetString(PyExc_TypeError, value == NULL ? "can't delete numeric/char attribute"
                                                       : "attribute value type must be bool");
        return -1;
    }
    tracer.lines_disabled |= value == Py_False;
    ((PyFrameObject *)frame)->f_trace_lines = value == Py_True;
    return 0;
}

static PyGetSetDef trace_lines = {"f_trace_lines", get_trace_lines, set_trace_lines, NULL, NULL};

static int
intercept_trace_lines(void)
{
#if PY_VERSION_HEX >= 0x030c0000
    PyObject *names = PyType_GetDict(&PyFrame_Type);
#else
    PyObject *names = Py_XNewRef(PyFrame_Type.tp_dict);
#endif
    PyObject *descriptor = names == NULL ? NULL : PyDescr_NewGetSet(&PyFrame_Type, &trace_lines);
    int result = descriptor == NULL ? -1 : PyDict_SetItemString(names, "f_trace_lines", descriptor);
    PyType_Modified(&PyFrame_Type);
    Py_XDECREF(descriptor);
    Py_XDECREF(names);
    return result;
}

/* -- the module ------------------------------------------------------------------------------ */

/* A process that the program forks is not recorded; it does not have the shared memory either. */
static void
stop_in_fork(void)
{
    tracer.is_recording = tracer.is_busy = 0;
    tracer.memory.start = NULL;
}

static int
initialize(PyObject *filename)
{
    program_filename = Py_NewRef(filename);
    module_key = PyUnicode_InternFromString("__module__");
    extra_index = REQUEST_EXTRA(free_code_info);
    if (module_key == NULL || extra_index < 0) {
        PyErr_SetString(PyExc_SystemError, "cannot store data with code objects");
        return -1;
    }
    if (pthread_atfork(NULL, NULL, stop_in_fork) != 0) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(open_doc,
             "open(fd, size, filename, *, steps, trace_bytes, value_chars, instructions, render, "
             "finish, on_error, before_line, signals, has_threads)\n\n"
             "Prepare a recording; the one before it must be closed. Rows are written to the memory\n"
             "file `fd` of `size` bytes, which is sealed and closed; if it is -1, to memory of this\n"
             "process. `filename` is the string object that the program was compiled with.\n"
             "`before_line` is called before each line, or None.");

/* What a recording in memory of this process was opened with. */
static struct {
    size_t size;
    long long steps, bytes;
} private_recording;

static void
begin_recording(long long steps)
{
    tracer.steps_left = steps;
    tracer.steps = tracer.scopes = 0;
    tracer.lines_disabled = 0;
}

/* Prepare another recording in memory of this process, with the same options. */
static PyObject *
tracer_reopen(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    if (tracer.memory.start != NULL || private_recording.size == 0) {
        PyErr_SetString(PyExc_RuntimeError, "open and close a recording of this process first");
        return NULL;
    }
    if (memory_open_private(&tracer.memory, private_recording.size, private_recording.bytes) < 0) {
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    begin_recording(private_recording.steps);
    Py_RETURN_NONE;
}

static PyObject *
tracer_open(PyObject *Py_UNUSED(module), PyObject *args, PyObject *names)
{
    static char *keywords[] = {"fd",     "size",   "filename", "steps",  "trace_bytes",
                               "value_chars", "instructions", "render", "finish", "on_error",
                               "before_line", "signals", "has_threads", NULL};
    int fd, has_threads;
    Py_ssize_t size;
    long long steps, bytes, characters;
    PyObject *filename, *render, *finish, *on_error, *before_line, *signals;
    if (!PyArg_ParseTupleAndKeywords(
            args, names, "inU$LLL(iiii)OOOOO!p:open", keywords, &fd, &size, &filename, &steps,
            &bytes, &characters, &instruction.resume, &instruction.return_value,
            &instruction.return_const, &instruction.yield_value, &render, &finish, &on_error,
            &before_line, &PyList_Type, &signals, &has_threads)) {
        return NULL;
    }
    if (tracer.memory.start != NULL || (tracer.render != NULL && has_threads)) {
        PyErr_SetString(PyExc_RuntimeError, "there is one recording at a time");
        return NULL;
    }
    if (tracer.render == NULL && (initialize(filename) < 0 || intercept_trace_lines() < 0)) {
        return NULL;
    }
    if ((fd < 0 ? memory_open_private(&tracer.memory, (size_t)size, bytes)
                : memory_open(&tracer.memory, fd, (size_t)size, bytes)) < 0) {
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    if (has_threads && (tracer.lock = PyThread_allocate_lock()) == NULL) {
        return PyErr_NoMemory();
    }
    /* Longer than any value, but small enough for the multiplication. */
    tracer.text.limit = characters < 1LL << 40 ? characters : 1LL << 40;
    if (fd < 0) {
        private_recording.size = (size_t)size;
        private_recording.steps = steps;
        private_recording.bytes = bytes;
    }
    begin_recording(steps);
    Py_XSETREF(tracer.render, Py_NewRef(render));
    Py_XSETREF(tracer.finish, Py_NewRef(finish));
    Py_XSETREF(tracer.on_error, Py_NewRef(on_error));
    Py_XSETREF(tracer.before_line, Py_NewRef(before_line));
    Py_XSETREF(tracer.signals, Py_NewRef(signals));
    Py_RETURN_NONE;
}

static PyObject *
tracer_start(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    if (tracer.memory.start == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "open the tracer first");
        return NULL;
    }
    tracer.is_recording = 1;
    PyEval_SetTrace(on_event, NULL);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(start_thread_doc,
             "start_thread(frame, number)\n\nRecord the calling thread, whose first frame this is.");

static PyObject *
tracer_start_thread(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *frame;
    int number;
    if (!PyArg_ParseTuple(args, "O!i:start_thread", &PyFrame_Type, &frame, &number)) {
        return NULL;
    }
    if (tracer.lock == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "threads are not recorded");
        return NULL;
    }
    thread_number = number;
    PyEval_SetTrace(on_event, NULL);
    on_event(NULL, (PyFrameObject *)frame, PyTrace_CALL, Py_None);
    Py_RETURN_NONE;
}

/* A task of an event loop has a number of its own, like a thread. */
static PyObject *
tracer_set_thread(PyObject *Py_UNUSED(module), PyObject *value)
{
    long number = PyLong_AsLong(value);
    if (number == -1 && PyErr_Occurred()) {
        return NULL;
    }
    thread_number = (int)number;
    Py_RETURN_NONE;
}

/* Other threads are recorded until the tracer is closed. */
static PyObject *
tracer_stop(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    int is_ours = PyThreadState_Get()->c_tracefunc == on_event && !tracer.lines_disabled;
    tracer.is_recording = tracer.is_recording && tracer.lock != NULL;
    PyEval_SetTrace(NULL, NULL);
    return PyBool_FromLong(is_ours);
}

PyDoc_STRVAR(close_doc,
             "close(row)\n\nWrite the last row and the numbers of steps and scopes; nothing can be "
             "written afterwards. Returns the rows if they are in memory of this process.");

static PyObject *
tracer_close(PyObject *Py_UNUSED(module), PyObject *row)
{
    char *bytes, epilogue[80];
    Py_ssize_t size;
    PyObject *rows = NULL;
    if (PyBytes_AsStringAndSize(row, &bytes, &size) < 0) {
        return NULL;
    }
    if (tracer.owner != PyThread_get_thread_ident()) {
        acquire_lock();
    }
    tracer.is_recording = 0;
    if (tracer.memory.start != NULL) {
        int more = snprintf(epilogue, sizeof epilogue, "[\"epilogue\",%lld,%lld]\n",
                            (long long)tracer.steps, (long long)tracer.scopes);
        if ((size_t)size + (size_t)more <= memory_available(&tracer.memory)) {
            memcpy(memory_end(&tracer.memory), bytes, (size_t)size);
            memcpy(memory_end(&tracer.memory) + size, epilogue, (size_t)more);
            memory_commit(&tracer.memory, (size_t)size + (size_t)more);
        }
        if (tracer.memory.is_private) {
            char *start = tracer.memory.start + ROWS_OFFSET;
            rows = PyBytes_FromStringAndSize(start, (Py_ssize_t)tracer.memory.used);
        }
        memory_close(&tracer.memory);
        end_all_scopes();
        if (rows == NULL && PyErr_Occurred()) {
            return NULL;
        }
    }
    return rows != NULL ? rows : Py_NewRef(Py_None);
}

static PyObject *
tracer_is_busy(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    return PyBool_FromLong(tracer.is_busy);
}

static PyObject *
tracer_step_count(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    return PyLong_FromLongLong((long long)tracer.steps);
}

static PyObject *
tracer_start_empty(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    PyEval_SetTrace(ignore_event, NULL);
    Py_RETURN_NONE;
}

#if PY_VERSION_HEX < 0x030d0000
extern void PyFrame_LocalsToFast(PyFrameObject *, int); /* in no header any more */
#endif

/* For the reference tracer, to which Python gives a copy of the locals of a frame. */
static PyObject *
tracer_write_back(PyObject *Py_UNUSED(module), PyObject *frame)
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
    {"open", (PyCFunction)(void (*)(void))tracer_open, METH_VARARGS | METH_KEYWORDS, open_doc},
    {"reopen", tracer_reopen, METH_NOARGS,
     "Prepare another recording in memory of this process, with the same options."},
    {"start", tracer_start, METH_NOARGS, "Record the calling thread from its next event on."},
    {"start_thread", tracer_start_thread, METH_VARARGS, start_thread_doc},
    {"set_thread", tracer_set_thread, METH_O,
     "Give the following steps of the calling thread the number of another one."},
    {"stop", tracer_stop, METH_NOARGS,
     "Stop in this thread; returns whether it was recording until now."},
    {"close", tracer_close, METH_O, close_doc},
    {"is_busy", tracer_is_busy, METH_NOARGS, "Whether an event is being recorded."},
    {"step_count", tracer_step_count, METH_NOARGS, "The number of steps that were written."},
    {"write_back", tracer_write_back, METH_O,
     "Make Python consider the copy of a frame's locals as written back."},
    {"start_empty", tracer_start_empty, METH_NOARGS,
     "Install a trace function that does nothing, to measure the overhead of tracing itself."},
    {0},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_tracer",
    .m_doc = "Tracer in C: writes the events of a program to shared memory.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__tracer(void)
{
    return PyModule_Create(&definition);
}

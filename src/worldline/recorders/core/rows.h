/* What has changed goes in, a row of JSON comes out: ["line",3,0,{"x":"1"}] or ["return",4,0,"1"] */

#ifndef WORLDLINE_ROWS_H
#define WORLDLINE_ROWS_H

#include "frames.h"
#include "memory.h"
#include "scopes.h"
#include "splice.h"

/* Stack frames that rendering in Python may need on top of the program's. */
#define HEADROOM 200

/* The one recording of this process. */
static struct {
    Memory memory;
    Text text;          /* of the value that is being written */
    Items items;        /* of the container that is being looked at */
    int changed;        /* how many variables have changed in this step */
    int64_t steps, scopes, steps_left; /* written, and still allowed */
    int is_on;          /* between start and stop, in the process that was started */
    int is_silenced;    /* the program has had the lines of a frame left out */
    int is_busy;        /* an event is being turned into a step */
    PyThread_type_lock turn; /* where threads are recorded: one at a time is at work in here */
    unsigned long owner;     /* the thread whose turn it is, or 0 */
    int threads, thread;     /* how many have begun, and the one that wrote the last row */
    PyObject *render;   /* (values) -> texts, for what is left to Python */
    PyObject *finish;   /* (reason, detail), which does not come back */
    PyObject *failed;   /* (error), for what went wrong in here */
    PyObject *signals;  /* list: those that came for the program meanwhile */
} core;

/* Let Python code of the recorder go over the program's limits, of calls and of calls from C. */
static inline void
lend_headroom(int frames)
{
    PyThreadState *thread = PyThreadState_Get();
    thread->RECURSION_LEFT += frames;
#if PY_VERSION_HEX >= 0x030c0000
    thread->c_recursion_remaining += frames;
#endif
}

typedef struct {
    char *at, *end;
} Row;

static inline int
row_put(Row *row, const char *bytes, size_t size)
{
    if ((size_t)(row->end - row->at) < size) {
        return -1;
    }
    row->at = copy_short(row->at, bytes, size);
    return 0;
}

/* End the recording, and the process: with room on the stack, or the program would go on. */
static void
finish(const char *reason)
{
    lend_headroom(HEADROOM);
    Py_XDECREF(PyObject_CallFunction(core.finish, "ss", reason, ""));
    lend_headroom(-HEADROOM);
}

/* A row that has no room ends the recording; so does one that is over the limit. */
static int
row_end(Row *row, int has_room)
{
    size_t size = (size_t)(row->at - memory_end(&core.memory));
    core.memory.left -= (int64_t)size;
    if (!has_room || core.memory.left < 0) {
        finish("trace_limit");
        return -1;
    }
    memory_commit(&core.memory, size);
    return 0;
}

static inline Row
row_begin(void)
{
    memory_prepare(&core.memory);
    char *at = memory_end(&core.memory);
    return (Row){at, at + memory_room(&core.memory)};
}

static int
write_scope(Code *code)
{
    Row row = row_begin();
    int result = row_end(&row, row_put(&row, code->scope.bytes, code->scope.size) == 0);
    if (result == 0 && !code->is_announced) {
        code->is_announced = 1;
        code->scope.size = 0;
        if (buffer_put(&code->scope, "[\"again\",", 9) < 0 ||
            put_number(&code->scope, (long)core.scopes) < 0 ||
            buffer_put(&code->scope, "]\n", 2) < 0) {
            return -1;
        }
    }
    core.scopes += result == 0;
    return result;
}

/* The rows that follow are of another thread. */
static int
write_thread(int number)
{
    Row row = row_begin();
    char said[32];
    int size = snprintf(said, sizeof said, "[\"thread\",%d]\n", number);
    core.thread = number;
    return row_end(&row, row_put(&row, said, (size_t)size) == 0);
}

#define PUT(literal) (row_put(&row, literal, sizeof literal - 1) == 0)

static const struct {
    char text[16];
    size_t size;
} EVENTS[] = {{"[\"call\",", 8}, {"[\"exception\",", 13}, {"[\"line\",", 8}, {"[\"return\",", 10}};

/* ["call",3,0 */
static inline int
put_event(Row *row, int event, long line, const Scope *scope)
{
    char digits[24], *end = digits + sizeof digits;
    if (row->end - row->at < 80) {
        return 0;
    }
    memcpy(row->at, EVENTS[event].text, 16);
    row->at += EVENTS[event].size;
    char *at = put_digits(end, (unsigned long)line);
    row->at = copy_short(row->at, at, (size_t)(end - at));
    row->at = copy_short(row->at, scope->numbered, scope->numbered_size);
    return 1;
}

static inline int
put_changed(Row *row, const Scope *scope, int i, int *count)
{
    const Variable *variable = &scope->variable[i];
    const Buffer *name = &scope->quoted[i];
    if (!variable->is_changed) {
        return 1;
    }
    if ((size_t)(row->end - row->at) < name->size + variable->text.size + 2) {
        return 0;
    }
    if ((*count)++ != 0) {
        *row->at++ = ',';
    }
    row->at = copy_short(row->at, name->bytes, name->size);
    row->at = copy_short(row->at, variable->text.bytes, variable->text.size);
    *row->at++ = '"';
    return 1;
}

static int
put_gone(Row *row, PyObject *gone)
{
    Buffer names = {0};
    int is_put = 1;
    for (Py_ssize_t i = 0; gone != NULL && i < PyList_GET_SIZE(gone); i++) {
        if ((i && buffer_put(&names, ",", 1) < 0) ||
            put_quoted(&names, PyList_GET_ITEM(gone, i)) < 0) {
            is_put = 0;
        }
    }
    is_put = is_put && row_put(row, names.bytes, names.size) == 0;
    buffer_free(&names);
    return is_put;
}

/* A call or a line: what is new or different, and what is gone. */
static int
write_state(Scope *scope, int event, int line, PyObject *order, PyObject *gone)
{
    Row row = row_begin();
    int count = 0, has_room = put_event(&row, event, line, scope);
    if (core.changed == 0 && gone == NULL) {
        return row_end(&row, has_room && PUT("]\n"));
    }
    has_room = has_room && PUT(",{");
    if (order == NULL) {
        for (int i = 0; has_room && count < core.changed; i++) {
            has_room = put_changed(&row, scope, i, &count);
        }
    }
    for (Py_ssize_t n = 0; order != NULL && has_room && n < PyList_GET_SIZE(order); n++) {
        has_room = put_changed(&row, scope, (int)PyLong_AsLong(PyList_GET_ITEM(order, n)), &count);
    }
    if (gone != NULL) {
        has_room = has_room && PUT("},[") && put_gone(&row, gone) && PUT("]]\n");
    }
    else {
        has_room = has_room && PUT("}]\n");
    }
    return row_end(&row, has_room);
}

/* A return or an exception with the text of its value, or none. */
static int
write_value_row(const Scope *scope, int event, int line, const Buffer *text)
{
    Row row = row_begin();
    int has_room = put_event(&row, event, line, scope);
    if (text == NULL) {
        return row_end(&row, has_room && PUT(",null]\n"));
    }
    has_room = has_room && PUT(",\"") && row_put(&row, text->bytes, text->size) == 0;
    return row_end(&row, has_room && PUT("\"]\n"));
}

#undef PUT

#endif

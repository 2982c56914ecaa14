/* Rows of JSON, one per step: ["line",3,0,{"x":"1"}] or ["return",4,0,"1"] */

#ifndef WORLDLINE_ROWS_H
#define WORLDLINE_ROWS_H

#include "frames.h"
#include "shared_memory.h"
#include "scopes.h"
#include "incremental_repr.h"

/* Stack frames that rendering in Python may need on top of the program's. */
#define HEADROOM 200

/* State of the tracer; there is one recording at a time. */
static struct {
    SharedMemory memory;
    Text text;                         /* of the value that is being rendered */
    ItemBuffer items;                  /* of the container that is being compared */
    int changed;                       /* number of variables that changed in this step */
    int64_t steps, scopes, steps_left; /* written, and remaining */
    int is_recording;                  /* between start and stop; never in a fork */
    int lines_disabled;                /* the program has switched line events of a frame off */
    int is_busy;                       /* an event is being recorded */
    PyThread_type_lock lock;           /* if threads are recorded: one at a time writes rows */
    unsigned long owner;               /* the thread that has the lock, or 0 */
    int thread;                        /* the thread of the last row */
    PyObject *render;                  /* (values) -> texts, rendered in Python */
    PyObject *finish;                  /* (reason, detail); does not return */
    PyObject *on_error;                /* (error), an exception of the tracer itself */
    PyObject *before_line;             /* called before a line of a program with threads, or None */
    PyObject *signals;                 /* list of signals that arrived for the program meanwhile */
} tracer;

/* Raise (or lower) the recursion limits, so that Python code of the recorder can be called. */
static inline void
extend_recursion_limit(int frames)
{
    PyThreadState *thread = PyThreadState_Get();
    thread->RECURSION_LEFT += frames;
#if PY_VERSION_HEX >= 0x030c0000 && PY_VERSION_HEX < 0x030e0000
    thread->c_recursion_remaining += frames;
#endif
}

typedef struct {
    char *cursor, *end;
} Row;

static inline int
row_put(Row *row, const char *bytes, size_t size)
{
    if ((size_t)(row->end - row->cursor) < size) {
        return -1;
    }
    row->cursor = copy_short(row->cursor, bytes, size);
    return 0;
}

/* End the recording and the process. Without headroom on the stack the program would continue. */
static void
finish(const char *reason)
{
    extend_recursion_limit(HEADROOM);
    Py_XDECREF(PyObject_CallFunction(tracer.finish, "ss", reason, ""));
    extend_recursion_limit(-HEADROOM);
}

/* Publish a row; one that does not fit, or exceeds the limit, ends the recording. */
static int
row_end(Row *row, int fits)
{
    size_t size = (size_t)(row->cursor - memory_end(&tracer.memory));
    tracer.memory.bytes_left -= (int64_t)size;
    if (!fits || tracer.memory.bytes_left < 0) {
        finish("trace_limit");
        return -1;
    }
    memory_commit(&tracer.memory, size);
    return 0;
}

static inline Row
row_begin(void)
{
    memory_prepare(&tracer.memory);
    char *cursor = memory_end(&tracer.memory);
    return (Row){cursor, cursor + memory_available(&tracer.memory)};
}

static int
write_scope(CodeInfo *code)
{
    Row row = row_begin();
    int result = row_end(&row, row_put(&row, code->scope.bytes, code->scope.size) == 0);
    if (result == 0 && !code->is_announced) {
        code->is_announced = 1;
        code->scope.size = 0;
        if (buffer_put(&code->scope, "[\"again\",", 9) < 0 ||
            put_number(&code->scope, (long)tracer.scopes) < 0 ||
            buffer_put(&code->scope, "]\n", 2) < 0) {
            return -1;
        }
    }
    tracer.scopes += result == 0;
    return result;
}

/* The following rows are of another thread. */
static int
write_thread(int number)
{
    Row row = row_begin();
    char json[32];
    int size = snprintf(json, sizeof json, "[\"thread\",%d]\n", number);
    tracer.thread = number;
    return row_end(&row, row_put(&row, json, (size_t)size) == 0);
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
    if (row->end - row->cursor < 80) {
        return 0;
    }
    memcpy(row->cursor, EVENTS[event].text, 16);
    row->cursor += EVENTS[event].size;
    char *cursor = put_digits(end, (unsigned long)line);
    row->cursor = copy_short(row->cursor, cursor, (size_t)(end - cursor));
    row->cursor = copy_short(row->cursor, scope->number_text, scope->number_text_size);
    return 1;
}

static inline int
put_changed(Row *row, const Scope *scope, int i, int *count)
{
    const Variable *variable = &scope->variable[i];
    const Buffer *name = &scope->json_names[i];
    if (!variable->is_changed) {
        return 1;
    }
    if ((size_t)(row->end - row->cursor) < name->size + variable->text.size + 2) {
        return 0;
    }
    if ((*count)++ != 0) {
        *row->cursor++ = ',';
    }
    row->cursor = copy_short(row->cursor, name->bytes, name->size);
    row->cursor = copy_short(row->cursor, variable->text.bytes, variable->text.size);
    *row->cursor++ = '"';
    return 1;
}

static int
put_gone(Row *row, PyObject *gone)
{
    Buffer names = {0};
    int is_put = 1;
    for (Py_ssize_t i = 0; gone != NULL && i < PyList_GET_SIZE(gone); i++) {
        if ((i && buffer_put(&names, ",", 1) < 0) ||
            put_json_string(&names, PyList_GET_ITEM(gone, i)) < 0) {
            is_put = 0;
        }
    }
    is_put = is_put && row_put(row, names.bytes, names.size) == 0;
    buffer_free(&names);
    return is_put;
}

/* A call or line step: variables that are new or different, and those that are gone. */
static int
write_state(Scope *scope, int event, int line, PyObject *order, PyObject *gone)
{
    Row row = row_begin();
    int count = 0, fits = put_event(&row, event, line, scope);
    if (tracer.changed == 0 && gone == NULL) {
        return row_end(&row, fits && PUT("]\n"));
    }
    fits = fits && PUT(",{");
    if (order == NULL) {
        for (int i = 0; fits && count < tracer.changed; i++) {
            fits = put_changed(&row, scope, i, &count);
        }
    }
    for (Py_ssize_t n = 0; order != NULL && fits && n < PyList_GET_SIZE(order); n++) {
        fits = put_changed(&row, scope, (int)PyLong_AsLong(PyList_GET_ITEM(order, n)), &count);
    }
    if (gone != NULL) {
        fits = fits && PUT("},[") && put_gone(&row, gone) && PUT("]]\n");
    }
    else {
        fits = fits && PUT("}]\n");
    }
    return row_end(&row, fits);
}

/* A return or exception step, with the text of its value if it has one. */
static int
write_value_row(const Scope *scope, int event, int line, const Buffer *text)
{
    Row row = row_begin();
    int fits = put_event(&row, event, line, scope);
    if (text == NULL) {
        return row_end(&row, fits && PUT(",null]\n"));
    }
    fits = fits && PUT(",\"") && row_put(&row, text->bytes, text->size) == 0;
    return row_end(&row, fits && PUT("\"]\n"));
}

#undef PUT

#endif

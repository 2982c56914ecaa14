/* What is to be known of a code object, found out once and kept with it as long as it lives. */

#ifndef WORLDLINE_CODE_H
#define WORLDLINE_CODE_H

#include "text.h"

#if PY_VERSION_HEX < 0x030c0000
#define REQUEST_EXTRA _PyEval_RequestCodeExtraIndex
#define GET_EXTRA _PyCode_GetExtra
#define SET_EXTRA _PyCode_SetExtra
#else
#define REQUEST_EXTRA PyUnstable_Eval_RequestCodeExtraIndex
#define GET_EXTRA PyUnstable_Code_GetExtra
#define SET_EXTRA PyUnstable_Code_SetExtra
#endif

/* Kinds of local variables, as Python keeps them (pycore_code.h). */
#define IS_HIDDEN 0x10
#define IS_CELL 0x40
#define IS_FREE 0x80

typedef struct {
    int is_program;       /* whether it is the program's own */
    int is_function;      /* whether its variables have fixed places */
    int has_hidden;       /* a comprehension's variables in a module or class body */
    int variables;
    PyObject *instructions; /* bytes, as the compiler wrote them */
    const char *kinds;    /* borrowed from the code */
    PyObject *names;      /* borrowed from the code */
    int *twin;            /* of each, the place of another variable of that name before it, or -1 */
    int has_twins;
    Buffer *quoted;       /* each name as JSON, with quotes and a colon */
    Buffer scope;         /* the row that announces an activation; the second time, it names the first */
    int is_announced;
    struct Scope *spare;  /* of calls that have ended, to be used again */
} Code;

static void free_spares(struct Scope *scope);
static void drop_scopes_of(const void *code);

static Py_ssize_t extra_index = -1;
/* The file name object of the program's code: no other code has it. */
static PyObject *program_filename;

/* The code that was asked for before. */
static struct {
    PyCodeObject *object;
    Code *code;
} last_code;

static void
free_code(void *found)
{
    Code *code = found;
    if (last_code.code == code) {
        last_code.object = NULL;
    }
    if (code->is_program) {
        drop_scopes_of(code);
    }
    free_spares(code->spare);
    for (int i = 0; code->quoted != NULL && i < code->variables; i++) {
        buffer_free(&code->quoted[i]);
    }
    PyMem_RawFree(code->quoted);
    PyMem_RawFree(code->twin);
    buffer_free(&code->scope);
    Py_XDECREF(code->instructions);
    PyMem_RawFree(code);
}

/* A string as JSON, with its quotes. */
static int
put_quoted(Buffer *buffer, PyObject *string)
{
    int kind = PyUnicode_KIND(string);
    const void *data = PyUnicode_DATA(string);
    Py_ssize_t size = PyUnicode_GET_LENGTH(string);
    if (buffer_reserve(buffer, 12 * (size_t)size + 2) < 0) {
        return -1;
    }
    char *at = buffer->bytes + buffer->size;
    *at++ = '"';
    for (Py_ssize_t i = 0; i < size; i++) {
        at = put_json(at, PyUnicode_READ(kind, data, i));
    }
    *at++ = '"';
    buffer->size = (size_t)(at - buffer->bytes);
    return 0;
}

static int
put_number(Buffer *buffer, long number)
{
    char digits[24];
    return buffer_put(buffer, digits, (size_t)snprintf(digits, sizeof digits, "%ld", number));
}

/* ["scope","f",1,["x","y"],1] */
static int
put_scope(Buffer *row, Code *code, PyCodeObject *object)
{
    long parameters = object->co_argcount + object->co_kwonlyargcount +
                      !!(object->co_flags & CO_VARARGS) + !!(object->co_flags & CO_VARKEYWORDS);
    if (buffer_put(row, "[\"scope\",", 9) < 0 || put_quoted(row, object->co_qualname) < 0 ||
        buffer_put(row, ",", 1) < 0 || put_number(row, object->co_firstlineno) < 0 ||
        buffer_put(row, ",[", 2) < 0) {
        return -1;
    }
    for (int i = 0; code->is_function && i < code->variables; i++) {
        if (code->twin[i] >= 0) {
            continue;
        }
        if ((i && buffer_put(row, ",", 1) < 0) ||
            put_quoted(row, PyTuple_GET_ITEM(code->names, i)) < 0) {
            return -1;
        }
    }
    return buffer_put(row, "],", 2) < 0 || put_number(row, parameters) < 0 ||
                   buffer_put(row, "]\n", 2) < 0
               ? -1
               : 0;
}

static int
fill_code(Code *code, PyCodeObject *object)
{
    code->is_function = (object->co_flags & CO_OPTIMIZED) != 0;
    code->variables = object->co_nlocalsplus;
    code->kinds = PyBytes_AS_STRING(object->co_localspluskinds);
    code->names = object->co_localsplusnames;
    code->instructions = PyCode_GetCode(object);
    code->quoted = PyMem_RawCalloc((size_t)code->variables + 1, sizeof *code->quoted);
    code->twin = PyMem_RawCalloc((size_t)code->variables + 1, sizeof *code->twin);
    if (code->instructions == NULL || code->quoted == NULL || code->twin == NULL) {
        return -1;
    }
    for (int i = 0; i < code->variables; i++) {
        /* A comprehension's variable may have the name of one of a function around. */
        code->twin[i] = -1;
        for (int j = 0; (code->kinds[i] & IS_FREE) && j < i; j++) {
            if (PyTuple_GET_ITEM(code->names, j) == PyTuple_GET_ITEM(code->names, i)) {
                code->twin[i] = j;
                code->has_twins = 1;
            }
        }
        code->has_hidden |= (code->kinds[i] & IS_HIDDEN) != 0;
        if (put_quoted(&code->quoted[i], PyTuple_GET_ITEM(code->names, i)) < 0 ||
            buffer_put(&code->quoted[i], ":\"", 2) < 0) {
            return -1;
        }
    }
    return put_scope(&code->scope, code, object);
}

/* The code's description, made at first sight; NULL with an exception if that fails. */
static Code *
code_of(PyCodeObject *object)
{
    if (object == last_code.object) {
        return last_code.code;
    }
    void *found = NULL;
    if (GET_EXTRA((PyObject *)object, extra_index, &found) < 0) {
        return NULL;
    }
    if (found != NULL) {
        last_code.object = object;
        return last_code.code = found;
    }
    Code *code = PyMem_RawCalloc(1, sizeof *code);
    if (code == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    code->is_program = object->co_filename == program_filename;
    if ((code->is_program && fill_code(code, object) < 0) ||
        SET_EXTRA((PyObject *)object, extra_index, code) < 0) {
        free_code(code);
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        return NULL;
    }
    return code;
}

#endif

/* Facts about a code object, computed once and stored with it. */

#ifndef WORLDLINE_CODE_INFO_H
#define WORLDLINE_CODE_INFO_H

#include "text_buffer.h"

#if PY_VERSION_HEX < 0x030c0000
#define REQUEST_EXTRA _PyEval_RequestCodeExtraIndex
#define GET_EXTRA _PyCode_GetExtra
#define SET_EXTRA _PyCode_SetExtra
#else
#define REQUEST_EXTRA PyUnstable_Eval_RequestCodeExtraIndex
#define GET_EXTRA PyUnstable_Code_GetExtra
#define SET_EXTRA PyUnstable_Code_SetExtra
#endif

/* Kinds of local variables, as in Python's pycore_code.h. */
#define IS_HIDDEN 0x10
#define IS_CELL 0x40
#define IS_FREE 0x80

typedef struct {
    int is_program;          /* whether it is code of the program */
    int is_function;         /* whether its variables have fixed slots */
    int has_hidden;          /* variables of a comprehension in a module or class body */
    int variables;           /* their number */
    PyObject *instructions;  /* bytes, as the compiler wrote them */
    const char *kinds;       /* of the variables; borrowed from the code */
    PyObject *names;         /* of the variables; borrowed from the code */
    int *same_name;          /* the index of an earlier variable of the same name, or -1 */
    int has_same_names;      /* whether there is one */
    Buffer *json_names;      /* each name as JSON, with quotes and a colon */
    Buffer scope;            /* the row of a new scope; from the second on, it refers to the first */
    int is_announced;        /* whether the first was written */
    struct Scope *recycled;  /* scopes of calls that have ended, to be used again */
} CodeInfo;

static void free_recycled(struct Scope *scope);
static void drop_scopes(const void *code);

static Py_ssize_t extra_index = -1;
/* The file name object of the program's code; no other code has this object. */
static PyObject *program_filename;

/* The result of the last lookup. */
static struct {
    PyCodeObject *object;
    CodeInfo *code;
} last_code;

static void
free_code_info(void *extra)
{
    CodeInfo *code = extra;
    if (last_code.code == code) {
        last_code.object = NULL;
    }
    if (code->is_program) {
        drop_scopes(code);
    }
    free_recycled(code->recycled);
    for (int i = 0; code->json_names != NULL && i < code->variables; i++) {
        buffer_free(&code->json_names[i]);
    }
    PyMem_RawFree(code->json_names);
    PyMem_RawFree(code->same_name);
    buffer_free(&code->scope);
    Py_XDECREF(code->instructions);
    PyMem_RawFree(code);
}

/* A string as JSON, with its quotes. */
static int
put_json_string(Buffer *buffer, PyObject *string)
{
    int kind = PyUnicode_KIND(string);
    const void *data = PyUnicode_DATA(string);
    Py_ssize_t size = PyUnicode_GET_LENGTH(string);
    if (buffer_reserve(buffer, 12 * (size_t)size + 2) < 0) {
        return -1;
    }
    char *cursor = buffer->bytes + buffer->size;
    *cursor++ = '"';
    for (Py_ssize_t i = 0; i < size; i++) {
        cursor = put_json(cursor, PyUnicode_READ(kind, data, i));
    }
    *cursor++ = '"';
    buffer->size = (size_t)(cursor - buffer->bytes);
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
put_scope(Buffer *row, CodeInfo *code, PyCodeObject *object)
{
    long parameters = object->co_argcount + object->co_kwonlyargcount +
                      !!(object->co_flags & CO_VARARGS) + !!(object->co_flags & CO_VARKEYWORDS);
    if (buffer_put(row, "[\"scope\",", 9) < 0 || put_json_string(row, object->co_qualname) < 0 ||
        buffer_put(row, ",", 1) < 0 || put_number(row, object->co_firstlineno) < 0 ||
        buffer_put(row, ",[", 2) < 0) {
        return -1;
    }
    for (int i = 0; code->is_function && i < code->variables; i++) {
        if (code->same_name[i] >= 0) {
            continue;
        }
        if ((i && buffer_put(row, ",", 1) < 0) ||
            put_json_string(row, PyTuple_GET_ITEM(code->names, i)) < 0) {
            return -1;
        }
    }
    return buffer_put(row, "],", 2) < 0 || put_number(row, parameters) < 0 ||
                   buffer_put(row, "]\n", 2) < 0
               ? -1
               : 0;
}

static int
fill_code_info(CodeInfo *code, PyCodeObject *object)
{
    code->is_function = (object->co_flags & CO_OPTIMIZED) != 0;
    code->variables = object->co_nlocalsplus;
    code->kinds = PyBytes_AS_STRING(object->co_localspluskinds);
    code->names = object->co_localsplusnames;
    code->instructions = PyCode_GetCode(object);
    code->json_names = PyMem_RawCalloc((size_t)code->variables + 1, sizeof *code->json_names);
    code->same_name = PyMem_RawCalloc((size_t)code->variables + 1, sizeof *code->same_name);
    if (code->instructions == NULL || code->json_names == NULL || code->same_name == NULL) {
        return -1;
    }
    for (int i = 0; i < code->variables; i++) {
        /* A variable of a comprehension may have the name of one of an enclosing function. */
        code->same_name[i] = -1;
        for (int j = 0; (code->kinds[i] & IS_FREE) && j < i; j++) {
            if (PyTuple_GET_ITEM(code->names, j) == PyTuple_GET_ITEM(code->names, i)) {
                code->same_name[i] = j;
                code->has_same_names = 1;
            }
        }
        code->has_hidden |= (code->kinds[i] & IS_HIDDEN) != 0;
        if (put_json_string(&code->json_names[i], PyTuple_GET_ITEM(code->names, i)) < 0 ||
            buffer_put(&code->json_names[i], ":\"", 2) < 0) {
            return -1;
        }
    }
    return put_scope(&code->scope, code, object);
}

/* The facts about a code object, computed at the first call; NULL with an exception on failure. */
static CodeInfo *
get_code_info(PyCodeObject *object)
{
    if (object == last_code.object) {
        return last_code.code;
    }
    void *extra = NULL;
    if (GET_EXTRA((PyObject *)object, extra_index, &extra) < 0) {
        return NULL;
    }
    if (extra != NULL) {
        last_code.object = object;
        return last_code.code = extra;
    }
    CodeInfo *code = PyMem_RawCalloc(1, sizeof *code);
    if (code == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    code->is_program = object->co_filename == program_filename;
    if ((code->is_program && fill_code_info(code, object) < 0) ||
        SET_EXTRA((PyObject *)object, extra_index, code) < 0) {
        free_code_info(code);
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        return NULL;
    }
    return code;
}

#endif

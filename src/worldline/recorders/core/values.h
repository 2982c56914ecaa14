/* A value goes in, its text and its shadow come out, in one go; or word that Python has to write it.

   Built-in values are written here, and objects with the `repr` of all objects; nothing of that runs
   code of the program. */

#ifndef WORLDLINE_VALUES_H
#define WORLDLINE_VALUES_H

#include "shadow.h"

#include "internal/pycore_dict.h"

/* Deeper than this, and where a value holds itself, rendering is left to Python. */
#define DEEPEST 40

/* What came of writing a value. */
typedef enum { FAILED = -1, WRITTEN, LEFT_TO_PYTHON } Written;

static Written write_value(Text *text, PyObject *value, Shadow *shadow, int depth);

static inline int
is_atom(PyTypeObject *type)
{
    return type == &PyLong_Type || type == &PyUnicode_Type || type == &PyFloat_Type ||
           type == &PyBool_Type || type == Py_TYPE(Py_None) || type == &PyBytes_Type ||
           type == &PyComplex_Type || type == &PyRange_Type || type == Py_TYPE(Py_Ellipsis);
}

/* Most ints take one word, which can be read without asking. */
static inline int
is_small_int(PyObject *value, long *number)
{
#if PY_VERSION_HEX < 0x030c0000
    Py_ssize_t size = Py_SIZE(value);
    if (size < -1 || size > 1) {
        return 0;
    }
    *number = size * (long)((PyLongObject *)value)->ob_digit[0];
    *number = size ? *number : 0;
#else
    if (!PyUnstable_Long_IsCompact((PyLongObject *)value)) {
        return 0;
    }
    *number = (long)PyUnstable_Long_CompactValue((PyLongObject *)value);
#endif
    return 1;
}

/* Whether a string is so long that the reference cuts it, and what it cuts off decides on quotes. */
static int
is_quoted_by_its_end(const Text *text, PyObject *value)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(value), longest = (Py_ssize_t)(PATIENCE * text->limit);
    return size > longest && PyUnicode_FindChar(value, '"', longest + 1, size, 1) >= 0 &&
           PyUnicode_FindChar(value, '"', 0, longest + 1, 1) < 0 &&
           PyUnicode_FindChar(value, '\'', 0, longest + 1, 1) >= 0;
}

static Written
write_atom(Text *text, PyObject *value, PyTypeObject *type)
{
    int failed;
    if (type == &PyLong_Type) {
        int is_large = 0;
        long small;
        if (!is_small_int(value, &small)) {
            small = PyLong_AsLongAndOverflow(value, &is_large);
        }
        /* Python may refuse to write so many digits. */
        if (is_large && _PyLong_NumBits(value) >= 2000) {
            return LEFT_TO_PYTHON;
        }
        failed = is_large ? text_repr(text, value) : text_small_int(text, small);
    }
    else if (type == &PyUnicode_Type && is_quoted_by_its_end(text, value)) {
        return LEFT_TO_PYTHON;
    }
    else if (type == &PyUnicode_Type) {
        failed = text_str(text, value);
    }
    else if (type == &PyFloat_Type) {
        failed = text_float(text, PyFloat_AS_DOUBLE(value));
    }
    else if (type == &PyBool_Type) {
        failed = value == Py_True ? text_plain(text, "True", 4) : text_plain(text, "False", 5);
    }
    else if (value == Py_None) {
        failed = text_plain(text, "None", 4);
    }
    else if (type == &PyBytes_Type && PyBytes_GET_SIZE(value) > text->limit) {
        return LEFT_TO_PYTHON;
    }
    else {
        failed = text_repr(text, value);
        if (failed < 0 && PyErr_ExceptionMatches(PyExc_ValueError)) {
            /* A range with a number of too many digits. */
            PyErr_Clear();
            return LEFT_TO_PYTHON;
        }
    }
    return failed < 0 ? FAILED : WRITTEN;
}

/* Whether taking addresses out of a text with this name in it leaves the name alone. */
static int
is_plain_name(PyObject *name)
{
    return name != NULL && PyUnicode_CheckExact(name) &&
           PyUnicode_FindChar(name, ' ', 0, PyUnicode_GET_LENGTH(name), 1) < 0;
}

static Written
write_function(Text *text, PyObject *value, Shadow *shadow)
{
    PyObject *name = ((PyFunctionObject *)value)->func_qualname;
    /* A number behind "function " may be taken for a thread's. */
    if (!is_plain_name(name) ||
        (PyUnicode_GET_LENGTH(name) && Py_UNICODE_ISDIGIT(PyUnicode_READ_CHAR(name, 0)))) {
        return LEFT_TO_PYTHON;
    }
    if (text_plain(text, "<function ", 10) < 0 || text_string(text, name) < 0 ||
        text_plain(text, ">", 1) < 0) {
        return FAILED;
    }
    *shadow = (Shadow){Py_NewRef(name), IS_FUNCTION};
    return WRITTEN;
}

/* An iterator, say, of a type that never dies and cannot be changed. */
static Written
write_built_in(Text *text, PyTypeObject *type, Shadow *shadow)
{
    if (text_plain(text, "<", 1) < 0 || text_plain(text, type->tp_name, strlen(type->tp_name)) < 0 ||
        text_plain(text, " object>", 8) < 0) {
        return FAILED;
    }
    *shadow = (Shadow){NULL, (uintptr_t)type | IS_BUILT_IN};
    return WRITTEN;
}

static PyObject *module_key;

/* Texts of objects, by the version of their type and its name (held). */
static struct {
    unsigned version, size;
    PyObject *name;
    char bytes[48];
} known_objects[64];

/* An object that has the repr of all objects; its address is left out. */
static Written
write_object(Text *text, PyObject *value, Shadow *shadow)
{
    PyTypeObject *type = Py_TYPE(value);
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
        return write_built_in(text, type, shadow);
    }
    PyObject *name = ((PyHeapTypeObject *)type)->ht_qualname;
    unsigned version = type->tp_version_tag, place = version % 64;
    size_t start = text->out.size;
    if (version != 0 && known_objects[place].version == version && known_objects[place].name == name) {
        *shadow = (Shadow){Py_NewRef(name), (uintptr_t)version << 3 | IS_OBJECT};
        return text_plain(text, known_objects[place].bytes, known_objects[place].size) < 0 ? FAILED
                                                                                           : WRITTEN;
    }
    /* Among keys that are no strings, looking one up would call their methods. */
    if (!DK_IS_UNICODE(((PyDictObject *)type->tp_dict)->ma_keys)) {
        return LEFT_TO_PYTHON;
    }
    PyObject *module = PyDict_GetItemWithError(type->tp_dict, module_key);
    if (!is_plain_name(name) || !is_plain_name(module) ||
        PyUnicode_CompareWithASCIIString(module, "builtins") == 0) {
        PyErr_Clear();
        return LEFT_TO_PYTHON;
    }
    if (text_plain(text, "<", 1) < 0 || text_string(text, module) < 0 ||
        text_plain(text, ".", 1) < 0 || text_string(text, name) < 0 ||
        text_plain(text, " object>", 8) < 0) {
        return FAILED;
    }
    *shadow = (Shadow){Py_NewRef(name), (uintptr_t)version << 3 | IS_OBJECT};
    size_t size = text->out.size - start;
    /* Only what is whole, and needs no escape. */
    if (version != 0 && size <= sizeof known_objects->bytes && text->characters <= text->limit &&
        plain_prefix((Py_UCS1 *)text->out.bytes + start, (Py_ssize_t)size) == (Py_ssize_t)size) {
        Py_XSETREF(known_objects[place].name, Py_NewRef(name));
        memcpy(known_objects[place].bytes, text->out.bytes + start, size);
        known_objects[place].version = version;
        known_objects[place].size = (unsigned)size;
    }
    return WRITTEN;
}

/* An item of a container, which is most often a small number, with what stands before it. */
static inline Written
write_item(Text *text, PyObject *value, Node *node, const char *before, size_t size, int depth)
{
    Written written = WRITTEN;
    Shadow item = {0};
    long small;
    if (PyLong_CheckExact(value) && is_small_int(value, &small) && small >= 0 && small < 100 &&
        text->characters + 4 <= text->limit) {
        if (buffer_reserve(&text->out, 4) < 0) {
            return FAILED;
        }
        char *at = text->out.bytes + text->out.size;
        at[0] = before[0], at[1] = before[1];
        at += size;
        at[0] = (char)('0' + (small < 10 ? small : small / 10));
        at[1] = (char)('0' + small % 10);
        size += small < 10 ? 1 : 2;
        text->out.size += size;
        text->characters += (int64_t)size;
        item.held = node ? Py_NewRef(value) : NULL;
    }
    else {
        if (size && text_plain(text, before, size) < 0) {
            return FAILED;
        }
        written = write_value(text, value, node ? &item : NULL, depth);
    }
    if (node != NULL) {
        node->ends[node->size] = (uint32_t)text->out.size;
        node->items[node->size++] = item;
    }
    return written;
}

static Written
write_items(Text *text, PyObject *value, Node *node, int depth)
{
    Written written = WRITTEN;
    PyTypeObject *type = Py_TYPE(value);
    size_t before = 0;
    if (type == &PyDict_Type) {
        PyObject *key, *held;
        Py_ssize_t at = 0;
        while (written == WRITTEN && !text_is_too_long(text) && PyDict_Next(value, &at, &key, &held)) {
            written = write_item(text, key, node, ", ", before, depth);
            if (written == WRITTEN) {
                written = write_item(text, held, node, ": ", 2, depth);
            }
            before = 2;
        }
    }
    else if (type == &PyList_Type || type == &PyTuple_Type) {
        PyObject **items = PySequence_Fast_ITEMS(value);
        Py_ssize_t size = Py_SIZE(value);
        for (Py_ssize_t i = 0; written == WRITTEN && !text_is_too_long(text) && i < size; i++) {
            written = write_item(text, items[i], node, ", ", before, depth);
            before = 2;
        }
    }
    else {
        Py_ssize_t last = ((PySetObject *)value)->mask;
        for (Py_ssize_t i = 0; written == WRITTEN && !text_is_too_long(text) && i <= last; i++) {
            PyObject *key = set_entry(value, i);
            if (key != NULL) {
                written = write_item(text, key, node, ", ", before, depth);
                before = 2;
            }
        }
    }
    return written;
}

/* The containers that are being written, from the outermost. */
static PyObject *open_containers[DEEPEST];

static Written
write_container(Text *text, PyObject *value, Shadow *shadow, int depth)
{
    PyTypeObject *type = Py_TYPE(value);
    const char *left = "{", *right = "}";
    Py_ssize_t size = items_of(value);
    if (depth >= DEEPEST) {
        return LEFT_TO_PYTHON;
    }
    for (int i = 0; i < depth; i++) {
        if (open_containers[i] == value) {
            return LEFT_TO_PYTHON;
        }
    }
    open_containers[depth] = value;
    if (type == &PyList_Type) {
        left = "[", right = "]";
    }
    else if (type == &PyTuple_Type) {
        left = "(", right = size == 1 ? ",)" : ")";
    }
    else if (type == &PySet_Type && size == 0) {
        left = "set(", right = ")";
    }
    else if (type == &PyFrozenSet_Type) {
        left = size ? "frozenset({" : "frozenset(", right = size ? "})" : ")";
    }
    Node *node = NULL;
    if (shadow != NULL) {
        node = new_node(type, size);
        if (node == NULL) {
            return FAILED;
        }
        shadow->mark = (uintptr_t)node;
    }
    if (text_plain(text, left, strlen(left)) < 0) {
        return FAILED;
    }
    Written written = write_items(text, value, node, depth + 1);
    if (node != NULL && written == WRITTEN && text_is_too_long(text)) {
        /* What is behind the end was not looked at, so it is written again each time. */
        forget(shadow);
        shadow->mark = IS_OPAQUE;
    }
    if (written == WRITTEN && text_plain(text, right, strlen(right)) < 0) {
        return FAILED;
    }
    return written;
}

/* The shadow is empty before, or NULL where none is wanted; whatever comes of it, it can be
   forgotten after. */
static Written
write_value(Text *text, PyObject *value, Shadow *shadow, int depth)
{
    PyTypeObject *type = Py_TYPE(value);
    if (is_atom(type)) {
        if (shadow != NULL) {
            shadow->held = Py_NewRef(value);
        }
        return write_atom(text, value, type);
    }
    if (type == &PyList_Type || type == &PyDict_Type || type == &PyTuple_Type ||
        type == &PySet_Type || type == &PyFrozenSet_Type) {
        return write_container(text, value, shadow, depth);
    }
    Shadow unwanted = {0};
    Written written = LEFT_TO_PYTHON;
    if (type == &PyFunction_Type) {
        written = write_function(text, value, shadow ? shadow : &unwanted);
    }
    else if (type->tp_repr == PyBaseObject_Type.tp_repr) {
        written = write_object(text, value, shadow ? shadow : &unwanted);
    }
    forget(&unwanted);
    return written;
}

#endif

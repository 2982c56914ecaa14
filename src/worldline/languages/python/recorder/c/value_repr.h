/* Text and fingerprint of a value, in one pass; or the result that Python has to render it.

   Renders values of built-in types and objects with the default repr, neither of which runs code of
   the program. */

#ifndef WORLDLINE_VALUE_REPR_H
#define WORLDLINE_VALUE_REPR_H

#include "value_fingerprint.h"

#include "internal/pycore_dict.h"

/* Python renders values that are nested deeper than this, or contain themselves. */
#define MAX_DEPTH 40

typedef enum { FAILED = -1, WRITTEN, NEEDS_PYTHON } WriteResult;

static WriteResult write_value(Text *text, PyObject *value, Fingerprint *fingerprint, int depth);

static inline int
is_atom(PyTypeObject *type)
{
    return type == &PyLong_Type || type == &PyUnicode_Type || type == &PyFloat_Type ||
           type == &PyBool_Type || type == Py_TYPE(Py_None) || type == &PyBytes_Type ||
           type == &PyComplex_Type || type == &PyRange_Type || type == Py_TYPE(Py_Ellipsis);
}

/* Most ints are one machine word, which can be read directly. */
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

/* Whether a string is so long that the reference tracer shortens it before its repr, and the
   choice of quotes depends on the part that is left out. */
static int
quotes_depend_on_end(const Text *text, PyObject *value)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(value);
    Py_ssize_t max_length = (Py_ssize_t)(MAX_LENGTH_FACTOR * text->limit);
    return size > max_length && PyUnicode_FindChar(value, '"', max_length + 1, size, 1) >= 0 &&
           PyUnicode_FindChar(value, '"', 0, max_length + 1, 1) < 0 &&
           PyUnicode_FindChar(value, '\'', 0, max_length + 1, 1) >= 0;
}

static WriteResult
write_atom(Text *text, PyObject *value, PyTypeObject *type)
{
    int failed;
    if (type == &PyLong_Type) {
        int is_large = 0;
        long small;
        if (!is_small_int(value, &small)) {
            small = PyLong_AsLongAndOverflow(value, &is_large);
        }
        /* Python may refuse to convert this many digits. */
        if (is_large && _PyLong_NumBits(value) >= 2000) {
            return NEEDS_PYTHON;
        }
        failed = is_large ? text_repr(text, value) : text_small_int(text, small);
    }
    else if (type == &PyUnicode_Type && quotes_depend_on_end(text, value)) {
        return NEEDS_PYTHON;
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
        return NEEDS_PYTHON;
    }
    else {
        failed = text_repr(text, value);
        if (failed < 0 && PyErr_ExceptionMatches(PyExc_ValueError)) {
            /* A range whose numbers have too many digits. */
            PyErr_Clear();
            return NEEDS_PYTHON;
        }
    }
    return failed < 0 ? FAILED : WRITTEN;
}

/* Whether the reference tracer, which removes addresses from a text, leaves this name unchanged. */
static int
is_plain_name(PyObject *name)
{
    return name != NULL && PyUnicode_CheckExact(name) &&
           PyUnicode_FindChar(name, ' ', 0, PyUnicode_GET_LENGTH(name), 1) < 0;
}

static WriteResult
write_function(Text *text, PyObject *value, Fingerprint *fingerprint)
{
    PyObject *name = ((PyFunctionObject *)value)->func_qualname;
    /* The reference tracer takes a number after "function " for the id of a thread. */
    if (!is_plain_name(name) ||
        (PyUnicode_GET_LENGTH(name) && Py_UNICODE_ISDIGIT(PyUnicode_READ_CHAR(name, 0)))) {
        return NEEDS_PYTHON;
    }
    if (text_plain(text, "<function ", 10) < 0 || text_string(text, name) < 0 ||
        text_plain(text, ">", 1) < 0) {
        return FAILED;
    }
    *fingerprint = (Fingerprint){Py_NewRef(name), TAG_FUNCTION};
    return WRITTEN;
}

/* An object of a static type, such as an iterator. */
static WriteResult
write_built_in(Text *text, PyTypeObject *type, Fingerprint *fingerprint)
{
    if (text_plain(text, "<", 1) < 0 || text_plain(text, type->tp_name, strlen(type->tp_name)) < 0 ||
        text_plain(text, " object>", 8) < 0) {
        return FAILED;
    }
    *fingerprint = (Fingerprint){NULL, (uintptr_t)type | TAG_BUILT_IN};
    return WRITTEN;
}

static PyObject *module_key;

/* Cache of the texts of objects, by the version tag and the name (with a reference) of the type. */
static struct {
    unsigned version, size;
    PyObject *name;
    char bytes[48];
} known_objects[64];

/* An object with the default repr, without its address. */
static WriteResult
write_object(Text *text, PyObject *value, Fingerprint *fingerprint)
{
    PyTypeObject *type = Py_TYPE(value);
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
        return write_built_in(text, type, fingerprint);
    }
    PyObject *name = ((PyHeapTypeObject *)type)->ht_qualname;
    unsigned version = type->tp_version_tag, slot = version % 64;
    size_t start = text->out.size;
    if (version != 0 && known_objects[slot].version == version && known_objects[slot].name == name) {
        *fingerprint = (Fingerprint){Py_NewRef(name), (uintptr_t)version << 3 | TAG_OBJECT};
        return text_plain(text, known_objects[slot].bytes, known_objects[slot].size) < 0 ? FAILED
                                                                                           : WRITTEN;
    }
    /* If some keys are not strings, a lookup would call their methods. */
    if (!DK_IS_UNICODE(((PyDictObject *)type->tp_dict)->ma_keys)) {
        return NEEDS_PYTHON;
    }
    PyObject *module = PyDict_GetItemWithError(type->tp_dict, module_key);
    if (!is_plain_name(name) || !is_plain_name(module) ||
        PyUnicode_CompareWithASCIIString(module, "builtins") == 0) {
        PyErr_Clear();
        return NEEDS_PYTHON;
    }
    if (text_plain(text, "<", 1) < 0 || text_string(text, module) < 0 ||
        text_plain(text, ".", 1) < 0 || text_string(text, name) < 0 ||
        text_plain(text, " object>", 8) < 0) {
        return FAILED;
    }
    *fingerprint = (Fingerprint){Py_NewRef(name), (uintptr_t)version << 3 | TAG_OBJECT};
    size_t size = text->out.size - start;
    /* Cache only complete texts without escapes. */
    if (version != 0 && size <= sizeof known_objects->bytes && text->characters <= text->limit &&
        plain_prefix((Py_UCS1 *)text->out.bytes + start, (Py_ssize_t)size) == (Py_ssize_t)size) {
        Py_XSETREF(known_objects[slot].name, Py_NewRef(name));
        memcpy(known_objects[slot].bytes, text->out.bytes + start, size);
        known_objects[slot].version = version;
        known_objects[slot].size = (unsigned)size;
    }
    return WRITTEN;
}

/* An item of a container, after its separator; most often it is a small number. */
static inline WriteResult
write_item(Text *text, PyObject *value, Node *node, const char *before, size_t size, int depth)
{
    WriteResult status = WRITTEN;
    Fingerprint item = {0};
    long small;
    if (PyLong_CheckExact(value) && is_small_int(value, &small) && small >= 0 && small < 100 &&
        text->characters + 4 <= text->limit) {
        if (buffer_reserve(&text->out, 4) < 0) {
            return FAILED;
        }
        char *cursor = text->out.bytes + text->out.size;
        cursor[0] = before[0], cursor[1] = before[1];
        cursor += size;
        cursor[0] = (char)('0' + (small < 10 ? small : small / 10));
        cursor[1] = (char)('0' + small % 10);
        size += small < 10 ? 1 : 2;
        text->out.size += size;
        text->characters += (int64_t)size;
        item.object = node ? Py_NewRef(value) : NULL;
    }
    else {
        if (size && text_plain(text, before, size) < 0) {
            return FAILED;
        }
        status = write_value(text, value, node ? &item : NULL, depth);
    }
    if (node != NULL) {
        node->ends[node->size] = (uint32_t)text->out.size;
        node->items[node->size++] = item;
    }
    return status;
}

static WriteResult
write_items(Text *text, PyObject *value, Node *node, int depth)
{
    WriteResult status = WRITTEN;
    PyTypeObject *type = Py_TYPE(value);
    size_t before = 0;
    if (type == &PyDict_Type) {
        PyObject *key, *dict_value;
        Py_ssize_t position = 0;
        while (status == WRITTEN && !text_is_too_long(text) &&
               PyDict_Next(value, &position, &key, &dict_value)) {
            status = write_item(text, key, node, ", ", before, depth);
            if (status == WRITTEN) {
                status = write_item(text, dict_value, node, ": ", 2, depth);
            }
            before = 2;
        }
    }
    else if (type == &PyList_Type || type == &PyTuple_Type) {
        PyObject **items = PySequence_Fast_ITEMS(value);
        Py_ssize_t size = Py_SIZE(value);
        for (Py_ssize_t i = 0; status == WRITTEN && !text_is_too_long(text) && i < size; i++) {
            status = write_item(text, items[i], node, ", ", before, depth);
            before = 2;
        }
    }
    else {
        Py_ssize_t last = ((PySetObject *)value)->mask;
        for (Py_ssize_t i = 0; status == WRITTEN && !text_is_too_long(text) && i <= last; i++) {
            PyObject *key = set_entry(value, i);
            if (key != NULL) {
                status = write_item(text, key, node, ", ", before, depth);
                before = 2;
            }
        }
    }
    return status;
}

/* The containers that are being written, outermost first. */
static PyObject *open_containers[MAX_DEPTH];

static WriteResult
write_container(Text *text, PyObject *value, Fingerprint *fingerprint, int depth)
{
    PyTypeObject *type = Py_TYPE(value);
    const char *left = "{", *right = "}";
    Py_ssize_t size = item_count(value);
    if (depth >= MAX_DEPTH) {
        return NEEDS_PYTHON;
    }
    for (int i = 0; i < depth; i++) {
        if (open_containers[i] == value) {
            return NEEDS_PYTHON;
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
    if (fingerprint != NULL) {
        node = new_node(type, size);
        if (node == NULL) {
            return FAILED;
        }
        fingerprint->tag = (uintptr_t)node;
    }
    if (text_plain(text, left, strlen(left)) < 0) {
        return FAILED;
    }
    WriteResult status = write_items(text, value, node, depth + 1);
    if (node != NULL && status == WRITTEN && text_is_too_long(text)) {
        /* The items after the end were not compared, so it has to be rendered at every step. */
        clear_fingerprint(fingerprint);
        fingerprint->tag = TAG_OPAQUE;
    }
    if (status == WRITTEN && text_plain(text, right, strlen(right)) < 0) {
        return FAILED;
    }
    return status;
}

/* The fingerprint is empty, or NULL if none is needed. The caller clears it, whatever the result. */
static WriteResult
write_value(Text *text, PyObject *value, Fingerprint *fingerprint, int depth)
{
    PyTypeObject *type = Py_TYPE(value);
    if (is_atom(type)) {
        if (fingerprint != NULL) {
            fingerprint->object = Py_NewRef(value);
        }
        return write_atom(text, value, type);
    }
    if (type == &PyList_Type || type == &PyDict_Type || type == &PyTuple_Type ||
        type == &PySet_Type || type == &PyFrozenSet_Type) {
        return write_container(text, value, fingerprint, depth);
    }
    Fingerprint ignored = {0};
    WriteResult status = NEEDS_PYTHON;
    if (type == &PyFunction_Type) {
        status = write_function(text, value, fingerprint ? fingerprint : &ignored);
    }
    else if (type->tp_repr == PyBaseObject_Type.tp_repr) {
        status = write_object(text, value, fingerprint ? fingerprint : &ignored);
    }
    clear_fingerprint(&ignored);
    return status;
}

#endif

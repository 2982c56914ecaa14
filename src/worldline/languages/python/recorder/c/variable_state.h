/* State of variables: whether the text of a value has changed, and the new text. */

#ifndef WORLDLINE_VARIABLE_STATE_H
#define WORLDLINE_VARIABLE_STATE_H

#include "rows.h"

/* -- rendering ------------------------------------------------------------------------------- */

/* Texts rendered in Python, which may run code of the program; NULL with an exception. */
static PyObject *
render_in_python(PyObject *values)
{
    extend_recursion_limit(HEADROOM);
    PyObject *texts = PyObject_CallOneArg(tracer.render, values);
    extend_recursion_limit(-HEADROOM);
    if (texts != NULL &&
        (!PyList_CheckExact(texts) || PyList_GET_SIZE(texts) != PyList_GET_SIZE(values))) {
        Py_CLEAR(texts);
        PyErr_SetString(PyExc_SystemError, "the number of texts is not that of values");
    }
    return texts;
}

/* Write a value to tracer.text, and its fingerprint unless that is NULL; it stays empty if Python
   has to render the value. */
static WriteResult
render_in_c(PyObject *value, Fingerprint *fingerprint)
{
    tracer.text.out.size = 0;
    tracer.text.characters = 0;
    WriteResult status = write_value(&tracer.text, value, fingerprint, 0);
    if (status == WRITTEN && text_finish(&tracer.text) < 0) {
        status = FAILED;
    }
    if (status != WRITTEN && fingerprint != NULL) {
        clear_fingerprint(fingerprint);
    }
    return status;
}

/* Copy a text that Python rendered to tracer.text, as the inside of a JSON string. */
static int
copy_python_text(PyObject *text)
{
    tracer.text.out.size = 0;
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_SystemError, "a rendered text is not a string");
        return -1;
    }
    if (put_json_string(&tracer.text.out, text) < 0) {
        return -1;
    }
    tracer.text.out.size -= 2;
    memmove(tracer.text.out.bytes, tracer.text.out.bytes + 1, tracer.text.out.size);
    return 0;
}

/* -- state ----------------------------------------------------------------------------------- */

/* Make the text in tracer.text that of a variable, and note whether it has changed. */
static inline void
set_text(Variable *variable)
{
    Buffer *text = &tracer.text.out;
    if (variable->is_known && variable->text.size == text->size &&
        is_equal_short(variable->text.bytes, text->bytes, text->size)) {
        return;
    }
    Buffer before = variable->text;
    variable->text = *text;
    *text = before;
    variable->is_known = variable->is_changed = 1;
    tracer.changed++;
}

/* Set a variable to a small int, the most frequent change. */
static inline int
set_small_int(Variable *variable, PyObject *value, long number)
{
    char digits[24], *end = digits + sizeof digits;
    char *cursor = put_digits(end, number < 0 ? -(unsigned long)number : (unsigned long)number);
    if (number < 0) {
        *--cursor = '-';
    }
    size_t size = (size_t)(end - cursor);
    Fingerprint before = variable->fingerprint;
    variable->fingerprint = (Fingerprint){Py_NewRef(value), 0};
    clear_fingerprint(&before);
    if (variable->is_known && variable->text.size == size &&
        is_equal_short(variable->text.bytes, cursor, size)) {
        return 0;
    }
    variable->text.size = 0;
    if (buffer_reserve(&variable->text, sizeof digits) < 0) {
        return -1;
    }
    copy_short(variable->text.bytes, cursor, size);
    variable->text.size = size;
    variable->is_known = variable->is_changed = variable->is_complete = 1;
    tracer.changed++;
    return 0;
}

/* Compare a variable with its value and render it if it is different; a value that Python has to
   render is added to `deferred`. */
static inline int
update_variable(Scope *scope, int i, PyObject *value, PyObject **deferred)
{
    Variable *variable = &scope->variable[i];
    variable->is_changed = 0;
    if (variable->is_known) {
        Node *node = container_node(&variable->fingerprint);
        if (node != NULL && variable->is_complete && Py_IS_TYPE(value, node->type) &&
            (node->type == &PyList_Type || node->type == &PyDict_Type)) {
            UpdateResult update = update_repr(&tracer.text, &variable->fingerprint, &variable->text,
                                              value, &tracer.items);
            if (update == UPDATED) {
                set_text(variable);
            }
            if (update != NOT_UPDATED) {
                return update == UPDATE_FAILED ? -1 : 0;
            }
        }
        else if (is_same(&variable->fingerprint, value)) {
            return 0;
        }
    }
    long number;
    if (PyLong_CheckExact(value) && is_small_int(value, &number) && tracer.text.limit >= 24) {
        return set_small_int(variable, value, number);
    }
    clear_fingerprint(&variable->fingerprint);
    Fingerprint fingerprint = {0};
    WriteResult status = render_in_c(value, &fingerprint);
    if (status == FAILED) {
        return -1;
    }
    if (status == WRITTEN) {
        variable->fingerprint = fingerprint;
        variable->is_complete = tracer.text.characters <= tracer.text.limit;
        set_text(variable);
        return 0;
    }
    variable->fingerprint.tag = TAG_OPAQUE;
    /* Keep a reference: the next allocation may collect garbage, which may run code of the
       program. */
    Py_INCREF(value);
    if (*deferred == NULL && (*deferred = PyList_New(0)) == NULL) {
        Py_DECREF(value);
        return -1;
    }
    PyObject *pair = Py_BuildValue("iN", i, value);
    int result = pair == NULL ? -1 : PyList_Append(*deferred, pair);
    Py_XDECREF(pair);
    return result;
}

/* Render the deferred values of a step together, because they may share a fork. */
static int
update_deferred(Scope *scope, PyObject *deferred)
{
    Py_ssize_t size = PyList_GET_SIZE(deferred);
    int result = -1;
    PyObject *texts = NULL, *values = PyList_New(size);
    if (values == NULL) {
        return -1;
    }
    for (Py_ssize_t n = 0; n < size; n++) {
        PyList_SET_ITEM(values, n, Py_NewRef(PyTuple_GET_ITEM(PyList_GET_ITEM(deferred, n), 1)));
    }
    texts = render_in_python(values);
    for (Py_ssize_t n = 0; texts != NULL && n < size; n++) {
        if (copy_python_text(PyList_GET_ITEM(texts, n)) < 0) {
            goto done;
        }
        long i = PyLong_AsLong(PyTuple_GET_ITEM(PyList_GET_ITEM(deferred, n), 0));
        set_text(&scope->variable[i]);
    }
    result = texts == NULL ? -1 : 0;
done:
    Py_DECREF(values);
    Py_XDECREF(texts);
    return result;
}

static int
is_dunder(PyObject *name)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(name);
    if (size < 2 || PyUnicode_READ_CHAR(name, 0) != '_' || PyUnicode_READ_CHAR(name, 1) != '_') {
        return 0;
    }
    return PyUnicode_READ_CHAR(name, size - 1) == '_' && PyUnicode_READ_CHAR(name, size - 2) == '_';
}

/* Compare the names of a module or class body; `order` gets the indices of those that exist. */
static int
update_namespace(Scope *scope, PyObject *names, PyObject **deferred, PyObject *order)
{
    PyObject *name, *value;
    Py_ssize_t position = 0;
    for (int i = 0; i < scope->variables; i++) {
        scope->variable[i].is_present = 0;
    }
    while (PyDict_Next(names, &position, &name, &value)) {
        if (!PyUnicode_CheckExact(name) || is_dunder(name)) {
            continue;
        }
        PyObject *index = PyDict_GetItemWithError(scope->names, name);
        if (index == NULL) {
            if (PyErr_Occurred() || add_variable(scope, name) < 0) {
                return -1;
            }
            index = PyDict_GetItemWithError(scope->names, name);
        }
        long i = PyLong_AsLong(index);
        scope->variable[i].is_present = 1;
        if (update_variable(scope, (int)i, value, deferred) < 0 || PyList_Append(order, index) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Clear a variable that has no value any more, and add its name to `gone`. */
static int
remove_variable(Scope *scope, int i, PyObject *name, PyObject **gone)
{
    Variable *variable = &scope->variable[i];
    variable->is_known = variable->is_changed = 0;
    clear_fingerprint(&variable->fingerprint);
    if (*gone == NULL && (*gone = PyList_New(0)) == NULL) {
        return -1;
    }
    return PyList_Append(*gone, name);
}

#endif

/* A variable and its value go in; whether its text has changed, and the new one, come out. */

#ifndef WORLDLINE_STATE_H
#define WORLDLINE_STATE_H

#include "rows.h"

/* -- rendering ------------------------------------------------------------------------------- */

/* Texts by Python's own rendering, which may run code; NULL with an exception. */
static PyObject *
render_in_python(PyObject *values)
{
    lend_headroom(HEADROOM);
    PyObject *texts = PyObject_CallOneArg(core.render, values);
    lend_headroom(-HEADROOM);
    if (texts != NULL &&
        (!PyList_CheckExact(texts) || PyList_GET_SIZE(texts) != PyList_GET_SIZE(values))) {
        Py_CLEAR(texts);
        PyErr_SetString(PyExc_SystemError, "texts and values are not as many");
    }
    return texts;
}

/* Write a value in core.text, and its shadow if one is wanted; that stays empty if Python has to
   do it. */
static Written
render_here(PyObject *value, Shadow *shadow)
{
    core.text.out.size = 0;
    core.text.characters = 0;
    Written written = write_value(&core.text, value, shadow, 0);
    if (written == WRITTEN && text_end(&core.text) < 0) {
        written = FAILED;
    }
    if (written != WRITTEN && shadow != NULL) {
        forget(shadow);
    }
    return written;
}

/* A text that Python made, as the inside of a JSON string in core.text. */
static int
take_text(PyObject *text)
{
    core.text.out.size = 0;
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_SystemError, "a text is no string");
        return -1;
    }
    if (put_quoted(&core.text.out, text) < 0) {
        return -1;
    }
    core.text.out.size -= 2;
    memmove(core.text.out.bytes, core.text.out.bytes + 1, core.text.out.size);
    return 0;
}

/* -- state ----------------------------------------------------------------------------------- */

/* The text in core.text is the variable's now; whether that is news. */
static inline void
keep_text(Variable *variable)
{
    Buffer *text = &core.text.out;
    if (variable->is_known && variable->text.size == text->size &&
        is_equal_short(variable->text.bytes, text->bytes, text->size)) {
        return;
    }
    Buffer before = variable->text;
    variable->text = *text;
    *text = before;
    variable->is_known = variable->is_changed = 1;
    core.changed++;
}

/* An int, which is what changes most often: its few digits are put in place. */
static inline int
put_small_int(Variable *variable, PyObject *value, long number)
{
    char digits[24], *end = digits + sizeof digits;
    char *at = put_digits(end, number < 0 ? -(unsigned long)number : (unsigned long)number);
    if (number < 0) {
        *--at = '-';
    }
    size_t size = (size_t)(end - at);
    Shadow before = variable->shadow;
    variable->shadow = (Shadow){Py_NewRef(value), 0};
    forget(&before);
    if (variable->is_known && variable->text.size == size &&
        is_equal_short(variable->text.bytes, at, size)) {
        return 0;
    }
    variable->text.size = 0;
    if (buffer_reserve(&variable->text, sizeof digits) < 0) {
        return -1;
    }
    copy_short(variable->text.bytes, at, size);
    variable->text.size = size;
    variable->is_known = variable->is_changed = variable->is_whole = 1;
    core.changed++;
    return 0;
}

/* Compare and, where it is not the same, write anew; what is left to Python goes to `left`. */
static inline int
look_at(Scope *scope, int i, PyObject *value, PyObject **left)
{
    Variable *variable = &scope->variable[i];
    variable->is_changed = 0;
    if (variable->is_known) {
        Node *node = node_of(&variable->shadow);
        if (node != NULL && variable->is_whole && Py_IS_TYPE(value, node->type) &&
            (node->type == &PyList_Type || node->type == &PyDict_Type)) {
            Spliced spliced =
                splice_value(&core.text, &variable->shadow, &variable->text, value, &core.items);
            if (spliced == SPLICED) {
                keep_text(variable);
            }
            if (spliced != NOT_SPLICED) {
                return spliced == SPLICE_FAILED ? -1 : 0;
            }
        }
        else if (is_same(&variable->shadow, value)) {
            return 0;
        }
    }
    long number;
    if (PyLong_CheckExact(value) && is_small_int(value, &number) && core.text.limit >= 24) {
        return put_small_int(variable, value, number);
    }
    forget(&variable->shadow);
    Shadow shadow = {0};
    Written written = render_here(value, &shadow);
    if (written == FAILED) {
        return -1;
    }
    if (written == WRITTEN) {
        variable->shadow = shadow;
        variable->is_whole = core.text.characters <= core.text.limit;
        keep_text(variable);
        return 0;
    }
    variable->shadow.mark = IS_OPAQUE;
    /* Held from here: what is made next may collect garbage, which may run the program's code. */
    Py_INCREF(value);
    if (*left == NULL && (*left = PyList_New(0)) == NULL) {
        Py_DECREF(value);
        return -1;
    }
    PyObject *pair = Py_BuildValue("iN", i, value);
    int result = pair == NULL ? -1 : PyList_Append(*left, pair);
    Py_XDECREF(pair);
    return result;
}

/* All that was left to Python in one step is rendered together, as it may share a process. */
static int
look_at_rest(Scope *scope, PyObject *left)
{
    Py_ssize_t size = PyList_GET_SIZE(left);
    int result = -1;
    PyObject *texts = NULL, *values = PyList_New(size);
    if (values == NULL) {
        return -1;
    }
    for (Py_ssize_t n = 0; n < size; n++) {
        PyList_SET_ITEM(values, n, Py_NewRef(PyTuple_GET_ITEM(PyList_GET_ITEM(left, n), 1)));
    }
    texts = render_in_python(values);
    for (Py_ssize_t n = 0; texts != NULL && n < size; n++) {
        if (take_text(PyList_GET_ITEM(texts, n)) < 0) {
            goto done;
        }
        long i = PyLong_AsLong(PyTuple_GET_ITEM(PyList_GET_ITEM(left, n), 0));
        keep_text(&scope->variable[i]);
    }
    result = texts == NULL ? -1 : 0;
done:
    Py_DECREF(values);
    Py_XDECREF(texts);
    return result;
}

static int
is_hidden_name(PyObject *name)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(name);
    if (size < 2 || PyUnicode_READ_CHAR(name, 0) != '_' || PyUnicode_READ_CHAR(name, 1) != '_') {
        return 0;
    }
    return PyUnicode_READ_CHAR(name, size - 1) == '_' && PyUnicode_READ_CHAR(name, size - 2) == '_';
}

/* The names of a module or class body; `order` gets the places of those that are there. */
static int
look_at_names(Scope *scope, PyObject *names, PyObject **left, PyObject *order)
{
    PyObject *name, *value;
    Py_ssize_t at = 0;
    for (int i = 0; i < scope->variables; i++) {
        scope->variable[i].is_present = 0;
    }
    while (PyDict_Next(names, &at, &name, &value)) {
        if (!PyUnicode_CheckExact(name) || is_hidden_name(name)) {
            continue;
        }
        PyObject *place = PyDict_GetItemWithError(scope->names, name);
        if (place == NULL) {
            if (PyErr_Occurred() || add_variable(scope, name) < 0) {
                return -1;
            }
            place = PyDict_GetItemWithError(scope->names, name);
        }
        long i = PyLong_AsLong(place);
        scope->variable[i].is_present = 1;
        if (look_at(scope, (int)i, value, left) < 0 || PyList_Append(order, place) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The names that had a value and have none now, sorted; NULL where there are none, -1 as ever. */
static int
note_gone(Scope *scope, int i, PyObject *name, PyObject **gone)
{
    Variable *variable = &scope->variable[i];
    variable->is_known = variable->is_changed = 0;
    forget(&variable->shadow);
    if (*gone == NULL && (*gone = PyList_New(0)) == NULL) {
        return -1;
    }
    return PyList_Append(*gone, name);
}

#endif

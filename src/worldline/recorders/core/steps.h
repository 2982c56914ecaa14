/* An event of a frame goes in, its row is written. */

#ifndef WORLDLINE_STEPS_H
#define WORLDLINE_STEPS_H

#include "state.h"

/* A function's variable; of two with one name, the one that Python shows, in the first's place. */
static inline PyObject *
value_of(PyFrameObject *frame, const Code *code, int i)
{
    PyObject *value = frame_value(frame, code, i);
    if (!code->has_twins) {
        return value;
    }
    if (code->twin[i] >= 0) {
        return NULL;
    }
    for (int j = i + 1; j < code->variables; j++) {
        if (code->twin[j] == i) {
            PyObject *other = frame_value(frame, code, j);
#if PY_VERSION_HEX < 0x030d0000
            return other; /* the last one stands, with a value or without */
#else
            return value != NULL ? value : other;
#endif
        }
    }
    return value;
}

static int
step_in_function(PyFrameObject *frame, Scope *scope, int event, int line)
{
    PyObject *left = NULL, *gone = NULL;
    int result = -1;
    core.changed = 0;
    for (int i = 0; i < scope->variables; i++) {
        PyObject *value = value_of(frame, scope->code, i);
        if (value != NULL) {
            if (look_at(scope, i, value, &left) < 0) {
                goto done;
            }
        }
        else if (scope->variable[i].is_known &&
                 note_gone(scope, i, PyTuple_GET_ITEM(scope->code->names, i), &gone) < 0) {
            goto done;
        }
    }
    if ((left == NULL || look_at_rest(scope, left) == 0) &&
        (gone == NULL || PyList_Sort(gone) == 0)) {
        result = write_state(scope, event, line, NULL, gone);
    }
done:
    Py_XDECREF(left);
    Py_XDECREF(gone);
    return result;
}

/* What lives in a module's or class body's namespace: the dict itself or, in a comprehension, a
   copy with its variables. Nothing of the program's is called. */
static PyObject *
names_of(PyFrameObject *frame, Scope *scope)
{
    const Code *code = scope->code;
    PyObject *namespace = scope->namespace;
    int is_dict = namespace != NULL && PyDict_Check(namespace), is_inside = 0;
    for (int i = 0; code->has_hidden && i < code->variables; i++) {
        is_inside |= (code->kinds[i] & IS_HIDDEN) && frame_value(frame, code, i) != NULL;
    }
    if (is_dict && !is_inside) {
        return Py_NewRef(namespace);
    }
    PyObject *names = PyDict_New(), *name, *value;
    Py_ssize_t at = 0;
    while (names != NULL && is_dict && PyDict_Next(namespace, &at, &name, &value)) {
        if (PyUnicode_CheckExact(name) && PyDict_SetItem(names, name, value) < 0) {
            Py_CLEAR(names);
        }
    }
    for (int i = 0; names != NULL && is_inside && i < code->variables; i++) {
        /* Variables of functions around, and those that have their names, are not shown. */
        int is_free = (code->kinds[i] & IS_FREE) != 0;
        for (int j = i + 1; code->has_twins && j < code->variables; j++) {
            is_free |= code->twin[j] == i;
        }
        value = is_free ? NULL : frame_value(frame, code, i);
        if (value != NULL && PyDict_SetItem(names, PyTuple_GET_ITEM(code->names, i), value) < 0) {
            Py_CLEAR(names);
        }
    }
    return names;
}

static int
step_in_namespace(PyFrameObject *frame, Scope *scope, int event, int line)
{
    PyObject *left = NULL, *gone = NULL, *order = PyList_New(0), *names = names_of(frame, scope);
    int result = -1;
    core.changed = 0;
    if (order == NULL || names == NULL || look_at_names(scope, names, &left, order) < 0) {
        goto done;
    }
    PyObject *name, *place;
    Py_ssize_t at = 0;
    while (PyDict_Next(scope->names, &at, &name, &place)) {
        long i = PyLong_AsLong(place);
        if (scope->variable[i].is_known && !scope->variable[i].is_present &&
            note_gone(scope, (int)i, name, &gone) < 0) {
            goto done;
        }
    }
    if ((left == NULL || look_at_rest(scope, left) == 0) &&
        (gone == NULL || PyList_Sort(gone) == 0)) {
        result = write_state(scope, event, line, order, gone);
    }
done:
    Py_XDECREF(left);
    Py_XDECREF(gone);
    Py_XDECREF(order);
    Py_XDECREF(names);
    return result;
}

/* A return or an exception, with its value; NULL for a frame that an exception leaves. */
static int
write_leaving(Scope *scope, int event, int line, PyObject *value)
{
    Written written = value == NULL ? WRITTEN : render_here(value, NULL);
    if (written == FAILED) {
        return -1;
    }
    if (written == LEFT_TO_PYTHON) {
        PyObject *values = Py_BuildValue("[O]", value);
        PyObject *texts = values == NULL ? NULL : render_in_python(values);
        int taken = texts == NULL ? -1 : take_text(PyList_GET_ITEM(texts, 0));
        Py_XDECREF(values);
        Py_XDECREF(texts);
        if (taken < 0) {
            return -1;
        }
    }
    return write_value_row(scope, event, line, value == NULL ? NULL : &core.text.out);
}

#endif

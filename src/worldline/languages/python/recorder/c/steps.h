/* Rows of steps, from the events of frames. */

#ifndef WORLDLINE_STEPS_H
#define WORLDLINE_STEPS_H

#include "variable_state.h"

/* The value of a variable. Of two with the same name: NULL for the second, and for the first the
   value that `locals()` has. */
static inline PyObject *
variable_value(PyFrameObject *frame, const CodeInfo *code, int i)
{
    PyObject *value = frame_value(frame, code, i);
    if (!code->has_same_names) {
        return value;
    }
    if (code->same_name[i] >= 0) {
        return NULL;
    }
    for (int j = i + 1; j < code->variables; j++) {
        if (code->same_name[j] == i) {
            PyObject *other = frame_value(frame, code, j);
#if PY_VERSION_HEX < 0x030d0000
            return other; /* the second one, whether it has a value or not */
#else
            return value != NULL ? value : other;
#endif
        }
    }
    return value;
}

static int
write_function_step(PyFrameObject *frame, Scope *scope, int event, int line)
{
    PyObject *deferred = NULL, *gone = NULL;
    int result = -1;
    tracer.changed = 0;
    for (int i = 0; i < scope->variables; i++) {
        PyObject *value = variable_value(frame, scope->code, i);
        if (value != NULL) {
            if (update_variable(scope, i, value, &deferred) < 0) {
                goto done;
            }
        }
        else if (scope->variable[i].is_known &&
                 remove_variable(scope, i, PyTuple_GET_ITEM(scope->code->names, i), &gone) < 0) {
            goto done;
        }
    }
    if ((deferred == NULL || update_deferred(scope, deferred) == 0) &&
        (gone == NULL || PyList_Sort(gone) == 0)) {
        result = write_state(scope, event, line, NULL, gone);
    }
done:
    Py_XDECREF(deferred);
    Py_XDECREF(gone);
    return result;
}

/* The names of a module or class body: the namespace itself or, in a comprehension, a copy with the
   variables of the comprehension. Calls no code of the program. */
static PyObject *
namespace_names(PyFrameObject *frame, Scope *scope)
{
    const CodeInfo *code = scope->code;
    PyObject *namespace = scope->namespace;
    int is_dict = namespace != NULL && PyDict_Check(namespace), is_inside = 0;
    for (int i = 0; code->has_hidden && i < code->variables; i++) {
        is_inside |= (code->kinds[i] & IS_HIDDEN) && frame_value(frame, code, i) != NULL;
    }
    if (is_dict && !is_inside) {
        return Py_NewRef(namespace);
    }
    PyObject *names = PyDict_New(), *name, *value;
    Py_ssize_t position = 0;
    while (names != NULL && is_dict && PyDict_Next(namespace, &position, &name, &value)) {
        if (PyUnicode_CheckExact(name) && PyDict_SetItem(names, name, value) < 0) {
            Py_CLEAR(names);
        }
    }
    for (int i = 0; names != NULL && is_inside && i < code->variables; i++) {
        /* Variables of enclosing functions, and those with the same name, are not shown. */
        int is_free = (code->kinds[i] & IS_FREE) != 0;
        for (int j = i + 1; code->has_same_names && j < code->variables; j++) {
            is_free |= code->same_name[j] == i;
        }
        value = is_free ? NULL : frame_value(frame, code, i);
        if (value != NULL && PyDict_SetItem(names, PyTuple_GET_ITEM(code->names, i), value) < 0) {
            Py_CLEAR(names);
        }
    }
    return names;
}

static int
write_namespace_step(PyFrameObject *frame, Scope *scope, int event, int line)
{
    PyObject *deferred = NULL, *gone = NULL, *order = PyList_New(0),
             *names = namespace_names(frame, scope);
    int result = -1;
    tracer.changed = 0;
    if (order == NULL || names == NULL || update_namespace(scope, names, &deferred, order) < 0) {
        goto done;
    }
    PyObject *name, *index;
    Py_ssize_t position = 0;
    while (PyDict_Next(scope->names, &position, &name, &index)) {
        long i = PyLong_AsLong(index);
        if (scope->variable[i].is_known && !scope->variable[i].is_present &&
            remove_variable(scope, (int)i, name, &gone) < 0) {
            goto done;
        }
    }
    if ((deferred == NULL || update_deferred(scope, deferred) == 0) &&
        (gone == NULL || PyList_Sort(gone) == 0)) {
        result = write_state(scope, event, line, order, gone);
    }
done:
    Py_XDECREF(deferred);
    Py_XDECREF(gone);
    Py_XDECREF(order);
    Py_XDECREF(names);
    return result;
}

/* A return or exception step, with its value; NULL for a frame that an exception leaves. */
static int
write_value_step(Scope *scope, int event, int line, PyObject *value)
{
    WriteResult status = value == NULL ? WRITTEN : render_in_c(value, NULL);
    if (status == FAILED) {
        return -1;
    }
    if (status == NEEDS_PYTHON) {
        PyObject *values = Py_BuildValue("[O]", value);
        PyObject *texts = values == NULL ? NULL : render_in_python(values);
        int result = texts == NULL ? -1 : copy_python_text(PyList_GET_ITEM(texts, 0));
        Py_XDECREF(values);
        Py_XDECREF(texts);
        if (result < 0) {
            return -1;
        }
    }
    return write_value_row(scope, event, line, value == NULL ? NULL : &tracer.text.out);
}

#endif

/* What a value looked like: enough to tell, without its repr, whether its text would be the same.

   Exact atoms are known by identity, with a reference held so that the address is not used again.
   Containers are known by what they hold; to them, and to any other object, no reference is kept. */

#ifndef WORLDLINE_SHADOW_H
#define WORLDLINE_SHADOW_H

#include "text.h"

typedef struct Node Node;

/* What stands for a value: nothing for no value, an atom (held), or a mark that says which other kind
   it is, in its lowest bits. */
typedef struct {
    PyObject *held; /* the atom; the qualified name of an object's type, or of a function */
    uintptr_t mark;
} Shadow;

/* Marks. Of a container, the mark is the address of its node. */
#define IS_CONTAINER 0
#define IS_OBJECT 1   /* with the version by which Python tells one state of a type, from bit 3 on */
#define IS_BUILT_IN 2 /* with the address of a type that never dies and cannot be changed */
#define IS_FUNCTION 3
#define IS_OPAQUE 4   /* never the same: it is written again each time */
#define MARK_BITS 7

struct Node {
    PyTypeObject *type;
    Py_ssize_t size, room;
    uint32_t *ends; /* where in its text each item ends, where that is known */
    Shadow items[];
};

static inline Node *
node_of(const Shadow *shadow)
{
    return shadow->mark && !(shadow->mark & MARK_BITS) ? (Node *)shadow->mark : NULL;
}

/* Room for so many items, and for where their texts end. */
static Node *
new_node(PyTypeObject *type, Py_ssize_t room)
{
    size_t size = sizeof(Node) + (size_t)room * (sizeof(Shadow) + sizeof(uint32_t));
    Node *node = PyMem_RawMalloc(size);
    if (node == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *node = (Node){.type = type, .room = room, .ends = (uint32_t *)(node->items + room)};
    return node;
}

static void free_node(Node *node);

static inline void
forget(Shadow *shadow)
{
    Node *node = node_of(shadow);
    Py_XDECREF(shadow->held);
    if (node != NULL) {
        free_node(node);
    }
    *shadow = (Shadow){0};
}

static void
free_node(Node *node)
{
    for (Py_ssize_t i = 0; i < node->size; i++) {
        forget(&node->items[i]);
    }
    PyMem_RawFree(node);
}

/* -- is it the same? ------------------------------------------------------------------------- */

static int mark_is_same(const Shadow *shadow, PyObject *value);

static inline int
is_same(const Shadow *shadow, PyObject *value)
{
    return shadow->mark == 0 ? shadow->held == value : mark_is_same(shadow, value);
}

/* An entry of a set; one that was taken out has a hash that no value has. */
static inline PyObject *
set_entry(PyObject *set, Py_ssize_t i)
{
    setentry *entry = &((PySetObject *)set)->table[i];
    return entry->key != NULL && entry->hash != -1 ? entry->key : NULL;
}

static int
items_are_same(const Node *node, PyObject *value)
{
    const Shadow *item = node->items;
    if (node->type == &PyList_Type || node->type == &PyTuple_Type) {
        PyObject **items = PySequence_Fast_ITEMS(value);
        for (Py_ssize_t i = 0; i < node->size; i++) {
            if (!is_same(&item[i], items[i])) {
                return 0;
            }
        }
        return 1;
    }
    if (node->type == &PyDict_Type) {
        PyObject *key, *held;
        Py_ssize_t at = 0;
        while (PyDict_Next(value, &at, &key, &held)) {
            if (!is_same(item, key) || !is_same(item + 1, held)) {
                return 0;
            }
            item += 2;
        }
        return 1;
    }
    for (Py_ssize_t i = 0; i <= ((PySetObject *)value)->mask; i++) {
        PyObject *key = set_entry(value, i);
        if (key != NULL && !is_same(item++, key)) {
            return 0;
        }
    }
    return 1;
}

/* How many items a container's node has. */
static inline Py_ssize_t
items_of(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyDict_Type) {
        return 2 * ((PyDictObject *)value)->ma_used;
    }
    return type == &PyList_Type || type == &PyTuple_Type ? Py_SIZE(value)
                                                         : ((PySetObject *)value)->used;
}

static int
mark_is_same(const Shadow *shadow, PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    switch (shadow->mark & MARK_BITS) {
    case IS_CONTAINER: {
        const Node *node = node_of(shadow);
        return type == node->type && items_of(value) == node->size && items_are_same(node, value);
    }
    case IS_OBJECT:
        return type->tp_version_tag == (unsigned)(shadow->mark >> 3) && type->tp_version_tag != 0 &&
               ((PyHeapTypeObject *)type)->ht_qualname == shadow->held;
    case IS_BUILT_IN:
        return type == (PyTypeObject *)(shadow->mark & ~(uintptr_t)MARK_BITS);
    case IS_FUNCTION:
        return type == &PyFunction_Type &&
               ((PyFunctionObject *)value)->func_qualname == shadow->held;
    default:
        return 0;
    }
}

#endif

/* Fingerprint of a value: tells, without its repr, whether its text would be the same again.

   Numbers, strings and other atoms are identified by address; a reference is kept, so that the
   address is not reused. Containers are identified by their items; no reference is kept to them,
   nor to any other object. */

#ifndef WORLDLINE_VALUE_FINGERPRINT_H
#define WORLDLINE_VALUE_FINGERPRINT_H

#include "text_buffer.h"

typedef struct Node Node;

/* Empty for no value, an atom, or a tag whose lowest bits are the kind of value. */
typedef struct {
    PyObject *object; /* the atom; or the qualified name of a function or of an object's type */
    uintptr_t tag;
} Fingerprint;

/* Kinds. The tag of a container is the address of its node. */
#define TAG_CONTAINER 0
#define TAG_OBJECT 1   /* from bit 3 on: Python's version tag of the type */
#define TAG_BUILT_IN 2 /* with the address of a static type, which never changes */
#define TAG_FUNCTION 3
#define TAG_OPAQUE 4   /* never the same: rendered at every step */
#define TAG_BITS 7

struct Node {
    PyTypeObject *type;
    Py_ssize_t size, capacity;
    uint32_t *ends; /* the end of each item in the text, if known */
    Fingerprint items[];
};

static inline Node *
container_node(const Fingerprint *fingerprint)
{
    return fingerprint->tag && !(fingerprint->tag & TAG_BITS) ? (Node *)fingerprint->tag : NULL;
}

/* A node with space for `capacity` items and the ends of their texts. */
static Node *
new_node(PyTypeObject *type, Py_ssize_t capacity)
{
    size_t size = sizeof(Node) + (size_t)capacity * (sizeof(Fingerprint) + sizeof(uint32_t));
    Node *node = PyMem_RawMalloc(size);
    if (node == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *node = (Node){.type = type, .capacity = capacity, .ends = (uint32_t *)(node->items + capacity)};
    return node;
}

static void free_node(Node *node);

static inline void
clear_fingerprint(Fingerprint *fingerprint)
{
    Node *node = container_node(fingerprint);
    Py_XDECREF(fingerprint->object);
    if (node != NULL) {
        free_node(node);
    }
    *fingerprint = (Fingerprint){0};
}

static void
free_node(Node *node)
{
    for (Py_ssize_t i = 0; i < node->size; i++) {
        clear_fingerprint(&node->items[i]);
    }
    PyMem_RawFree(node);
}

/* -- comparison ------------------------------------------------------------------------------ */

static int tagged_is_same(const Fingerprint *fingerprint, PyObject *value);

static inline int
is_same(const Fingerprint *fingerprint, PyObject *value)
{
    return fingerprint->tag == 0 ? fingerprint->object == value : tagged_is_same(fingerprint, value);
}

/* An entry of a set, or NULL; a removed one has a hash that no value has. */
static inline PyObject *
set_entry(PyObject *set, Py_ssize_t i)
{
    setentry *entry = &((PySetObject *)set)->table[i];
    return entry->key != NULL && entry->hash != -1 ? entry->key : NULL;
}

static int
items_are_same(const Node *node, PyObject *value)
{
    const Fingerprint *item = node->items;
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
        PyObject *key, *dict_value;
        Py_ssize_t position = 0;
        while (PyDict_Next(value, &position, &key, &dict_value)) {
            if (!is_same(item, key) || !is_same(item + 1, dict_value)) {
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

/* The number of items in the node of a container. */
static inline Py_ssize_t
item_count(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyDict_Type) {
        return 2 * ((PyDictObject *)value)->ma_used;
    }
    return type == &PyList_Type || type == &PyTuple_Type ? Py_SIZE(value)
                                                         : ((PySetObject *)value)->used;
}

static int
tagged_is_same(const Fingerprint *fingerprint, PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    switch (fingerprint->tag & TAG_BITS) {
    case TAG_CONTAINER: {
        const Node *node = container_node(fingerprint);
        return type == node->type && item_count(value) == node->size && items_are_same(node, value);
    }
    case TAG_OBJECT:
        return type->tp_version_tag == (unsigned)(fingerprint->tag >> 3) &&
               type->tp_version_tag != 0 &&
               ((PyHeapTypeObject *)type)->ht_qualname == fingerprint->object;
    case TAG_BUILT_IN:
        return type == (PyTypeObject *)(fingerprint->tag & ~(uintptr_t)TAG_BITS);
    case TAG_FUNCTION:
        return type == &PyFunction_Type &&
               ((PyFunctionObject *)value)->func_qualname == fingerprint->object;
    default:
        return 0;
    }
}

#endif

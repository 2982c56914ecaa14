/* Scopes (activations of functions) that are alive, with the state of their last step. */

#ifndef WORLDLINE_SCOPES_H
#define WORLDLINE_SCOPES_H

#include "code_info.h"
#include "value_fingerprint.h"

/* One variable: the fingerprint of its value, and its text. */
typedef struct {
    Fingerprint fingerprint;
    Buffer text;
    char is_known;    /* it had a value at the scope's last step */
    char is_changed;  /* and has a different one now */
    char is_complete; /* its text was not shortened */
    char is_present;  /* exists in this step (names of a namespace only) */
} Variable;

typedef struct Scope {
    struct Scope *next;
    PyFrameObject *frame; /* no reference: only its address is used */
    CodeInfo *code;
    char number_text[24]; /* its number, with a comma before it */
    size_t number_text_size;
    int last_line;
    int raised_at, raised_line; /* instruction that raised, or -1; line of the last step after it */
    int variables;
    Variable *variable;
    PyObject *names;     /* of a module or class body: name -> index among the variables */
    PyObject *namespace; /* of a module or class body, when it was entered */
    Buffer *json_names;
} Scope;

static struct {
    Scope **buckets;
    size_t mask;
    size_t alive;
    Scope *last; /* the result of the last lookup */
    long number; /* of the next */
} scopes;

static inline size_t
bucket_index(const PyFrameObject *frame, size_t mask)
{
    uintptr_t address = (uintptr_t)frame;
    return (address >> 4 ^ address >> 14) & mask;
}

static inline Scope *
find_scope(const PyFrameObject *frame)
{
    if (scopes.last != NULL && scopes.last->frame == frame) {
        return scopes.last;
    }
    if (scopes.buckets == NULL) {
        return NULL;
    }
    Scope *scope = scopes.buckets[bucket_index(frame, scopes.mask)];
    while (scope != NULL && scope->frame != frame) {
        scope = scope->next;
    }
    return scopes.last = scope;
}

static int
grow_scopes(void)
{
    size_t mask = scopes.buckets ? scopes.mask * 2 + 1 : 255;
    Scope **buckets = PyMem_RawCalloc(mask + 1, sizeof *buckets);
    if (buckets == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; scopes.buckets != NULL && i <= scopes.mask; i++) {
        for (Scope *scope = scopes.buckets[i], *next; scope != NULL; scope = next) {
            next = scope->next;
            Scope **slot = &buckets[bucket_index(scope->frame, mask)];
            scope->next = *slot;
            *slot = scope;
        }
    }
    PyMem_RawFree(scopes.buckets);
    scopes.buckets = buckets;
    scopes.mask = mask;
    return 0;
}

/* Add a variable to a namespace. */
static int
add_variable(Scope *scope, PyObject *name)
{
    size_t count = (size_t)scope->variables;
    if ((count & (count - 1)) == 0) {
        size_t capacity = count ? 2 * count : 1;
        Variable *variable = PyMem_RawRealloc(scope->variable, capacity * sizeof *variable);
        if (variable != NULL) {
            scope->variable = variable;
        }
        Buffer *json_names = PyMem_RawRealloc(scope->json_names, capacity * sizeof *json_names);
        if (json_names != NULL) {
            scope->json_names = json_names;
        }
        if (variable == NULL || json_names == NULL) {
            PyErr_NoMemory();
            return -1;
        }
    }
    scope->variable[count] = (Variable){0};
    scope->json_names[count] = (Buffer){0};
    scope->variables++;
    if (put_json_string(&scope->json_names[count], name) < 0 ||
        buffer_put(&scope->json_names[count], ":\"", 2) < 0) {
        return -1;
    }
    PyObject *index = PyLong_FromSize_t(count);
    int result = index == NULL ? -1 : PyDict_SetItem(scope->names, name, index);
    Py_XDECREF(index);
    return result;
}

/* Clear the scope of a function and keep it for the function's next call. */
static void
recycle_scope(Scope *scope)
{
    for (int i = 0; i < scope->variables; i++) {
        Variable *variable = &scope->variable[i];
        clear_fingerprint(&variable->fingerprint);
        if (variable->text.capacity > 1024) {
            buffer_free(&variable->text);
        }
        variable->is_known = variable->is_changed = 0;
    }
    scope->next = scope->code->recycled;
    scope->code->recycled = scope;
}

static void
free_scope(Scope *scope)
{
    for (int i = 0; i < scope->variables; i++) {
        clear_fingerprint(&scope->variable[i].fingerprint);
        buffer_free(&scope->variable[i].text);
        if (scope->names != NULL) {
            buffer_free(&scope->json_names[i]);
        }
    }
    if (scope->names != NULL) {
        PyMem_RawFree(scope->json_names);
    }
    PyMem_RawFree(scope->variable);
    Py_XDECREF(scope->names);
    Py_XDECREF(scope->namespace);
    PyMem_RawFree(scope);
}

static void
free_recycled(Scope *scope)
{
    for (Scope *next; scope != NULL; scope = next) {
        next = scope->next;
        free_scope(scope);
    }
}

/* Remove a scope: its frame has ended, or another frame has its address (its code may be freed). */
static void
end_scope(Scope *scope, int is_code_alive)
{
    Scope **slot = &scopes.buckets[bucket_index(scope->frame, scopes.mask)];
    while (*slot != scope) {
        slot = &(*slot)->next;
    }
    *slot = scope->next;
    scopes.alive--;
    scopes.last = NULL;
    if (is_code_alive && scope->code->is_function) {
        recycle_scope(scope);
    }
    else {
        free_scope(scope);
    }
}

/* Remove the scopes of a code object that is freed: frames may have ended without an event. */
static void
drop_scopes(const void *code)
{
    for (size_t i = 0; scopes.buckets != NULL && i <= scopes.mask; i++) {
        for (Scope **slot = &scopes.buckets[i], *scope; (scope = *slot) != NULL;) {
            if (scope->code == code) {
                *slot = scope->next;
                scopes.alive--;
                scopes.last = NULL;
                free_scope(scope);
            }
            else {
                slot = &scope->next;
            }
        }
    }
}

static Scope *
new_scope(CodeInfo *code, PyObject *namespace)
{
    Scope *scope = code->recycled;
    if (scope != NULL) {
        code->recycled = scope->next;
        return scope;
    }
    scope = PyMem_RawCalloc(1, sizeof *scope);
    if (scope == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (code->is_function) {
        scope->variables = code->variables;
        scope->json_names = code->json_names;
        scope->variable = PyMem_RawCalloc((size_t)code->variables + 1, sizeof *scope->variable);
    }
    else {
        scope->names = PyDict_New();
        scope->namespace = Py_XNewRef(namespace);
    }
    if (code->is_function ? scope->variable == NULL : scope->names == NULL) {
        free_scope(scope);
        PyErr_NoMemory();
        return NULL;
    }
    return scope;
}

/* `namespace`: that of a module or class body; NULL for a function. */
static Scope *
begin_scope(PyFrameObject *frame, CodeInfo *code, PyObject *namespace, int line)
{
    if (scopes.alive >= scopes.mask && grow_scopes() < 0) {
        return NULL;
    }
    Scope *scope = new_scope(code, namespace);
    if (scope == NULL) {
        return NULL;
    }
    scope->frame = frame;
    scope->code = code;
    scope->last_line = line;
    scope->raised_at = -1;
    char *end = scope->number_text + sizeof scope->number_text;
    char *cursor = put_digits(end, (unsigned long)scopes.number++);
    *--cursor = ',';
    scope->number_text_size = (size_t)(end - cursor);
    memmove(scope->number_text, cursor, scope->number_text_size);
    Scope **slot = &scopes.buckets[bucket_index(frame, scopes.mask)];
    scope->next = *slot;
    *slot = scope;
    scopes.alive++;
    return scopes.last = scope;
}

static void
end_all_scopes(void)
{
    for (size_t i = 0; scopes.buckets != NULL && i <= scopes.mask; i++) {
        for (Scope *scope = scopes.buckets[i], *next; scope != NULL; scope = next) {
            next = scope->next;
            free_scope(scope);
        }
    }
    PyMem_RawFree(scopes.buckets);
    scopes.buckets = NULL;
    scopes.last = NULL;
    scopes.mask = scopes.alive = 0;
    scopes.number = 0;
}

#endif

/* A module for attacks: any call to the kernel, with any arguments. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

static PyObject *
anycall_call(PyObject *Py_UNUSED(module), PyObject *args)
{
    long words[7] = {0};
    Py_buffer held[7] = {0};
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args) && i < 7; i++) {
        PyObject *word = PyTuple_GET_ITEM(args, i);
        if (PyLong_Check(word)) {
            words[i] = PyLong_AsLong(word);
        }
        else if (PyObject_GetBuffer(word, &held[i], PyBUF_SIMPLE) == 0) {
            words[i] = (long)held[i].buf;
        }
        else {
            return NULL;
        }
    }
    long result =
        syscall(words[0], words[1], words[2], words[3], words[4], words[5], words[6]);
    long said = result < 0 ? -errno : result;
    for (int i = 0; i < 7; i++) {
        if (held[i].obj != NULL) {
            PyBuffer_Release(&held[i]);
        }
    }
    return PyErr_Occurred() ? NULL : PyLong_FromLong(said);
}

static PyMethodDef functions[] = {{"call", anycall_call, METH_VARARGS, ""}, {0}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "anycall", .m_size = -1, .m_methods = functions};

#define NUMBER(name) PyModule_AddIntConstant(module, #name, SYS_##name)

PyMODINIT_FUNC
PyInit_anycall(void)
{
    PyObject *module = PyModule_Create(&definition);
    NUMBER(ptrace), NUMBER(mount), NUMBER(umount2), NUMBER(unshare), NUMBER(clone), NUMBER(setns);
    NUMBER(bpf), NUMBER(io_uring_setup), NUMBER(perf_event_open), NUMBER(process_vm_readv);
    NUMBER(userfaultfd), NUMBER(keyctl), NUMBER(open_by_handle_at), NUMBER(pivot_root);
    NUMBER(init_module), NUMBER(memfd_create), NUMBER(socket), NUMBER(execve), NUMBER(open_tree);
    NUMBER(shmget), NUMBER(mq_open), NUMBER(clock_settime), NUMBER(personality), NUMBER(capset);
    NUMBER(reboot), NUMBER(fanotify_init), NUMBER(pidfd_getfd), NUMBER(quotactl);
#ifdef SYS_iopl
    NUMBER(iopl);
#endif
    return module;
}

package worldline.tracer;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;

/** Loads the instrumented classes of the program, and those of its class path. */
final class ProgramLoader extends URLClassLoader {
    private final Map<String, byte[]> classes;

    ProgramLoader(Map<String, byte[]> classes, List<String> classPath) {
        super(urls(classPath), ClassLoader.getSystemClassLoader());
        this.classes = classes;
    }

    private static URL[] urls(List<String> classPath) {
        return classPath.stream().map(ProgramLoader::url).toArray(URL[]::new);
    }

    private static URL url(String path) {
        try {
            return new File(path).toURI().toURL();
        } catch (MalformedURLException error) {
            throw new IllegalArgumentException(error);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] data = classes.get(name);
        return data == null ? super.findClass(name) : defineClass(name, data, 0, data.length);
    }
}

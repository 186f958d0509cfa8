package io.jenkins.plugins.compressionaware.directlane;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/** Imitates requests and responses of a web server. */
final class ServletStubs {
    private ServletStubs() {}

    /** Returns an object whose methods the handler implements. It may return anything for a void method. */
    static <T> T proxy(Class<T> type, InvocationHandler handler) {
        InvocationHandler withoutResults = (proxy, method, arguments) -> {
            Object result = handler.invoke(proxy, method, arguments);
            return method.getReturnType() == void.class ? null : result;
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, withoutResults));
    }

    static ServletInputStream body(InputStream in) {
        return new ServletInputStream() {
            @Override
            public int read() throws IOException {
                return in.read();
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return in.read(bytes, offset, length);
            }

            @Override
            public boolean isFinished() {
                throw new UnsupportedOperationException();
            }

            @Override
            public boolean isReady() {
                throw new UnsupportedOperationException();
            }

            @Override
            public void setReadListener(ReadListener listener) {
                throw new UnsupportedOperationException();
            }
        };
    }

    static ServletOutputStream answer(OutputStream out) {
        return new ServletOutputStream() {
            @Override
            public void write(int b) throws IOException {
                out.write(b);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
            }

            @Override
            public boolean isReady() {
                throw new UnsupportedOperationException();
            }

            @Override
            public void setWriteListener(WriteListener listener) {
                throw new UnsupportedOperationException();
            }
        };
    }
}

/** Calls a service at an address with a token and a body, and reads the answer as text. */
export interface CallOptions {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text and bytes are sent as they are, anything else as JSON. */
  readonly body?: string | object | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Sends a request to a service, and reads the answer. A body is JSON unless the headers say otherwise.
 *
 * @param address the beginning of the URL, such as `http://127.0.0.1:8080`
 * @param path the rest of it, which begins with a slash
 * @throws {TypeError} of fetch if there is no answer
 */
export async function call(
  address: string,
  method: string,
  path: string,
  { token, headers: own = {}, body }: CallOptions = {},
): Promise<Answer> {
  const headers = new Headers();
  if (token) headers.set('authorization', `Bearer ${token}`);
  if (body !== undefined) headers.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(address + path, {
    method,
    headers,
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

import { join } from 'node:path';
import { readContract } from '../../../../src/contract/document/document.js';
import { projectFolder } from '../../../../src/project.js';
import { handlersOf, type Members, type Model, only, startModelServer } from './server.js';

const file = join(projectFolder, 'scripts', 'contract', 'faults', 'contracts', 'library.yaml');
const members = ['title', 'pages', 'price', 'printed', 'subjects', 'shelf'];
const absent = { status: 404, body: { error: 404, message: 'There is no such book.' } };

/** A server that keeps library.yaml. */
export async function library(): Promise<Model> {
  const contract = await readContract(file);
  return {
    contract,
    start(scope) {
      const books = new Map<number, Members>();
      let last = 4_000;
      const handlers = handlersOf<{ book: number }>({
        addBook: ({ body }) => {
          const book = ++last;
          books.set(book, { ...only(members, body), book });
          return { status: 201, body: books.get(book) };
        },
        listBooks: () => ({ status: 200, body: [...books.values()] }),
        getBook: ({ path: { book } }) => (books.has(book) ? { status: 200, body: books.get(book) } : absent),
        replaceBook: ({ path: { book }, body }) => {
          if (!books.has(book)) return absent;
          books.set(book, { ...only(members, body), book });
          return { status: 200, body: books.get(book) };
        },
        removeBook: ({ path: { book } }) => (books.delete(book) ? { status: 204 } : absent),
        lendBook: ({ path: { book }, body }) =>
          books.has(book) ? { status: 200, body: only(['reader'], body) } : absent,
        about: () => ({ status: 200, body: { books: books.size } }),
      });
      return startModelServer(scope, contract, handlers);
    },
  };
}

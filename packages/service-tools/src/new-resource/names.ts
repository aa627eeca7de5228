/** The names of a new resource. */
import { StartError } from '../../../service/layer.js';

/** PostgreSQL cuts names after 63 bytes, and those of indexes and constraints begin with the table's. */
const maxLength = 40;

/** What a placeholder of a template, such as `{{item}}`, stands for. */
export type Names = Readonly<Record<'items' | 'item' | 'Items' | 'Item' | 'a item' | 'A item', string>>;

/**
 * @param items the name of the resource, such as `seedbanks`
 * @param item one of them; by default `items` without its s, with y for ies
 * @throws {StartError} if one of them cannot be a name of a table, a folder, a path and a variable
 */
export function namesOf(items: string, item = singularOf(items)): Names {
  for (const name of [items, item]) {
    if (/^[a-z][a-z0-9]*$/.test(name) && name.length <= maxLength) continue;
    throw new StartError(
      `"${name}" cannot name a resource: use 1 to ${maxLength} characters of a to z and 0 to 9, beginning with a letter.`,
    );
  }
  if (items === item)
    throw new StartError(
      `The resource and one of its items are both called "${items}": name the item by --item.`,
    );
  const article = /^[aeiou]/.test(item) ? 'an' : 'a';
  return {
    items,
    item,
    Items: capitalised(items),
    Item: capitalised(item),
    'a item': `${article} ${item}`,
    'A item': `${capitalised(article)} ${item}`,
  };
}

function singularOf(items: string): string {
  return items.replace(/ies$/, 'ys').replace(/s$/, '');
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

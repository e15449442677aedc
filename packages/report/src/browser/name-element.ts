const attributeLimit = 40;

const elementsNamed = 3;

/** With the elements around it. */
export function nameElementPath(from: Element): string {
  const names: string[] = [];
  let element: Element | null = from;
  for (; element && names.length < elementsNamed; element = element.parentElement) names.unshift(nameElement(element));
  return names.join(' > ');
}

/** By what its author named it, and its place. */
export function nameElement(element: Element): string {
  const attributes = ['id', 'role', 'aria-label', 'name', 'type'].map((key) => {
    const value = element.getAttribute(key);
    return value ? `[${key}="${value.slice(0, attributeLimit)}"]` : '';
  });
  const index = Array.from(element.parentElement?.children ?? []).indexOf(element);
  return `${element.localName}${attributes.join('')}:nth-child(${index + 1})`;
}

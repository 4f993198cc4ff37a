/** The one place where text becomes markup: HTML that the server has rendered, which escapes what it holds. */

interface Policy {
  createHTML(html: string): string;
}

interface PolicyFactory {
  createPolicy(name: string, rules: Policy): Policy;
}

const AS_IT_IS: Policy = { createHTML: (html) => html };

// Not every browser has them; where there are, nothing else may become markup.
const { trustedTypes: factory } = globalThis as { trustedTypes?: PolicyFactory };
const policy = factory?.createPolicy("sessiondb", AS_IT_IS) ?? AS_IT_IS;

/** The elements of HTML from `conversation/html`, and of nothing else. */
export function renderedElements(html: string): Element[] {
  const template = document.createElement("template");
  template.innerHTML = policy.createHTML(html);
  return [...template.content.children];
}

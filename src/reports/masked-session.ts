import { maskSecrets, maskTitle } from "../text/secrets.ts";

export interface Titled {
  title: string;
  /** Absent where it is not known, as is the first message. */
  name?: string | null;
  firstMessage?: string | null;
  models?: readonly string[];
}

/** A session without secrets in what it is called, and in what its models are; `maskFirst` is for its first message, which may be long. */
export function maskedSession<T extends Titled>(session: T, maskFirst: (message: string) => string): T {
  const { title, name, firstMessage, models } = session;
  return {
    ...session,
    title: maskTitle(title),
    name: name && maskSecrets(name),
    firstMessage: firstMessage && maskFirst(firstMessage),
    ...(models && { models: models.map(maskSecrets) }),
  };
}

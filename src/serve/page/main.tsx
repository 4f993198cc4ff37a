import { render } from "preact";
import { App } from "./app.tsx";
import { listenToKeys } from "./keys.ts";
import { followIndex } from "./live.ts";
import { followAddresses } from "./navigation.ts";
import { shareLogin } from "./server.ts";

const root = document.getElementById("page");
if (root !== null) {
  followAddresses();
  listenToKeys();
  followIndex();
  shareLogin();
  root.replaceChildren();
  render(<App />, root);
}

// A child process of the soak, in its world.
import { spawn } from "node:child_process";

export class Program {
  stdout = "";
  stderr = "";
  isRunning = true;

  constructor(world, args) {
    const env = { ...process.env, HOME: world.home, PI_CODING_AGENT_DIR: world.agentDir, NO_COLOR: "1" };
    this.child = spawn(process.execPath, args, { cwd: world.home, env, stdio: ["ignore", "pipe", "pipe"] });
    this.child.stdout.on("data", (chunk) => {
      this.stdout = (this.stdout + chunk).slice(-100_000);
    });
    this.child.stderr.on("data", (chunk) => {
      this.stderr = (this.stderr + chunk).slice(-100_000);
    });
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code, signal) => {
        this.isRunning = false;
        if (code === null && this.signalled === undefined) world.note(`${args.join(" ")} died of ${signal}`);
        if (this.stderr.includes(world.canary)) world.note(`text of a session in an error: ${this.stderr}`);
        resolve({ code, took: this.signalled === undefined ? 0 : Date.now() - this.signalled });
      });
    });
  }

  get pid() {
    return this.child.pid;
  }

  kill(signal) {
    this.signalled ??= Date.now();
    if (this.isRunning) this.child.kill(signal);
  }
}

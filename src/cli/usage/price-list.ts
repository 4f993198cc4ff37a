import { SessionDbError } from "../../errors.ts";
import type { ModelPrices } from "../../reports/usage/model-prices.ts";
import { type Args, textOf } from "../command-line/args.ts";
import type { Context } from "../command-line/command.ts";

/** The price list for `--estimate`. @throws SessionDbError `usage`; `not_found` without a pi on PATH */
export async function pricesFor({ config, world }: Context, args: Args): Promise<ModelPrices> {
  if (textOf(args, "compat") !== undefined) {
    const hint = "Leave one out.";
    throw new SessionDbError("usage", "--estimate and --compat cannot be used together", { hint });
  }
  const { readModelPrices } = await import("../../api/read-prices.ts");
  return readModelPrices({ agentDir: config.agentDir, searchPath: world.env.PATH ?? "" });
}

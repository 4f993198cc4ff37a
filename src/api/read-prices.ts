import { type PiPlaces, readPiCatalogue } from "../config/pi-catalogue.ts";
import { ModelPrices } from "../reports/usage/model-prices.ts";
import { check, path, record, text } from "./validate.ts";

const PLACES = record({ agentDir: path, searchPath: text });

/**
 * The prices of models, for `sumUsage`: those of the pi that is found on `searchPath` (as `PATH` has it), newer ones that it
 * has fetched into its agent folder, and those that the user has written into `models.json` there. No network is asked.
 *
 * @throws SessionDbError `not_found` where there is no such pi, or no list in it that is understood; `usage`
 */
export async function readModelPrices(places: PiPlaces): Promise<ModelPrices> {
  check("places", PLACES, places);
  return new ModelPrices(await readPiCatalogue(places));
}

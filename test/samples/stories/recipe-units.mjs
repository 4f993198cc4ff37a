// A session in Japanese: scaling the amounts of a recipe.
import { bash, edit, read, say, think } from "../../peers/pi/turns.mjs";

const amounts = `/** 「大さじ2」「200g」「少々」のような分量 */
export type Amount = { value: number | null; unit: string };

export function scale(amount: Amount, servings: number, base: number): Amount {
  return { ...amount, value: (amount.value ?? 0) * (servings / base) };
}
`;

export default {
  name: "recipe-units",
  start: "2026-10-14T11:47:52.331Z",
  async play(world) {
    const pi = await world.begin({
      cwd: "/home/ada/projects/ryori-note",
      files: { "src/amounts.ts": amounts },
      model: "google/gemini-3.1-pro-preview",
      thinkingLevel: "high",
    });
    pi.name("分量の計算を直す");

    await pi.ask(
      "レシピを2人分から3人分に変えると、「少々」が「0少々」になってしまいます。原因を調べて直してください。",
      [
        [
          think(
            "value が null のとき (amount.value ?? 0) で 0 になっている。「少々」「適量」は人数で変えないのが自然。",
          ),
          say("まず分量を計算している関数を見てみます。"),
          read("src/amounts.ts"),
          bash(
            "grep -rn '少々\\|適量' data | head -5",
            "data/肉じゃが.md:12:- 塩 少々\ndata/味噌汁.md:9:- 青ねぎ 適量\ndata/親子丼.md:14:- 三つ葉 適量\n",
          ),
        ],
        "原因がわかりました。`scale` の `(amount.value ?? 0)` が、数値のない分量を 0 として計算しています。\n\n「少々」や「適量」は人数が変わってもそのまま表示するのがよいと思います。あわせて「大さじ2.6666…」のような端数も、四分の一きざみに丸めましょうか？",
      ],
    );

    await pi.ask("はい、お願いします。ただしグラムは整数で、大さじと小さじは1/4きざみにしてください。", [
      [
        edit("src/amounts.ts", [
          "  return { ...amount, value: (amount.value ?? 0) * (servings / base) };\n}\n",
          '  if (amount.value === null) return amount; // 「少々」「適量」は人数で変わらない\n  const step = SPOONS.has(amount.unit) ? 0.25 : 1;\n  const value = Math.round((amount.value * servings) / base / step) * step;\n  return { ...amount, value: Math.max(value, step) };\n}\n\nconst SPOONS = new Set(["大さじ", "小さじ"]);\n',
        ]),
        bash("npx vitest run", " ✓ test/amounts.test.ts (9 tests) 12ms\n\n Tests  9 passed (9)\n", {
          seconds: 3,
        }),
      ],
      "直しました。\n\n| 元(2人分) | 3人分 |\n| --- | --- |\n| 塩 少々 | 塩 少々 |\n| 醤油 大さじ1と3/4 | 大さじ2と3/4 |\n| 豚肉 150g | 225g |\n\n丸めた結果が 0 になるときは、最小の単位(1g、または1/4さじ)を残すようにしています。",
    ]);
    pi.label("分量OK");

    await pi.ask("ありがとう！「カップ」はどうなりますか？", [
      "今のままでは「カップ」は 1 きざみで丸められるので、1/2カップが 1カップになってしまいます。`SPOONS` に「カップ」も加えて 1/4 きざみにするのが安全です。変更は一行です。",
    ]);
    pi.end();
    return { file: pi.file };
  },
};

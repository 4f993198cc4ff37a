// Sentences without sense but with the words, scripts and identifiers real sessions have.
const WORDS = (
  "the a this that one every old new small wide stable broken index cache parser session branch label report tide " +
  "harvest station reading query cursor window letter garden river reads writes keeps drops moves counts shows finds " +
  "after before without because unless sessionManager parse_config src/index.ts HTTP_PROXY naïve Straße кошка 索引 検索 검색"
).split(" ");

export function createChatter(chance) {
  const number = () => 1 + Math.floor(chance() * 999);
  const word = () => WORDS[Math.floor(chance() * WORDS.length)];
  const sentence = () => {
    const words = Array.from({ length: 5 + Math.floor(chance() * 12) }, word).join(" ");
    return `${words[0].toUpperCase()}${words.slice(1)}.`;
  };
  const paragraph = (sentences) => Array.from({ length: sentences }, sentence).join(" ");
  return { number, sentence, paragraph };
}

declare module "plist" {
  const plist: { parse(text: string): unknown };
  export default plist;
}

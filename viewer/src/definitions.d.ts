/** The definitions that viewer/definitions.ts reads from the documentation. */
declare module "virtual:definitions" {
  const definitions: Record<string, string>;
  export default definitions;
}

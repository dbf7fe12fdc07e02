// Files that are in the binary, imported as their paths.
declare module "*.jpg" {
  const path: string;
  export default path;
}
declare module "*.pdf" {
  const path: string;
  export default path;
}
declare module "*.txt" {
  const path: string;
  export default path;
}

/** The titles of columns of numbers. */
export function NumberTitles({ of }: { of: string[] }) {
  return of.map((title) => (
    <th scope="col" class="number">
      {title}
    </th>
  ));
}

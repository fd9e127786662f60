/** The arrow of a link to the page above. It points against the direction of writing. */
export function BackArrow() {
  return (
    <span aria-hidden="true" className="inline-block rtl:rotate-180">
      ←
    </span>
  );
}

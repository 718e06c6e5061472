/// The machine of a screening, for its shell and the rooms that perform its directives.
@ScreeningActor
package final class ScreeningCore<Refusal: Hashable & Sendable> {
  package var machine: ScreeningMachine<Refusal>

  package init() { machine = ScreeningMachine(random: SystemRandomNumberGenerator()) }
}

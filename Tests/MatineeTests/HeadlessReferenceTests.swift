import Screening
import Testing

@testable import matinee

@Suite("The reference of the headless interface")
struct HeadlessReferenceTests {
  @Test("Every command of the table is in matinee-headless(7) with its argument, and no other")
  func commands() throws {
    let described = HeadlessReference.commands.flatMap(\.names)
    #expect(Set(described).count == described.count)
    #expect(
      Set(described) == Set(UserCommandTable.rows.flatMap { row in [row.name] + row.aliases }))
    let terms = try Manual().headless.sections.flatMap(\.blocks).compactMap { block -> String? in
      guard case .item(let term, _) = block else { return nil }
      return term
    }
    for row in UserCommandTable.rows { #expect(terms.contains("`\(row.usage)`"), "\(row.name)") }
  }

  @Test("Every event that the program prints is in matinee-headless(7), and no other")
  func events() {
    let described = HeadlessReference.events.flatMap(\.names)
    #expect(Set(described).count == described.count)
    let printed = ScreeningEvent.Kind.allCases.filter(\.isPrinted).map(\.rawValue)
    #expect(Set(described) == Set(printed))
  }
}

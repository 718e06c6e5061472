import Testing

/// The repository's own rules, checked on its text. A list of known exceptions may only shrink.
@Suite("House rules") struct HouseRuleTests {
  let repository: Repository

  init() throws { repository = try Repository.here.get() }

  @Test("No two folders of a target name each other's types, except the known pairs")
  func folders() {
    expect(Rules.folderCircles(in: repository.sources), areExactly: Known.folderCircles)
  }

  @Test("No face of the program names another face's types")
  func faces() {
    let faces = ["Terminal", "Window", "Headless", "Desktop"]
    for face in faces {
      #expect(repository.sources.contains { $0.folder == "Faces/\(face)" }, "no folder \(face)")
    }
    expect(
      Rules.arrows(between: faces, of: "Faces", in: repository.sources), areExactly: [])
  }

  @Test("The floors of GroupActivities name only types of the floors below them")
  func floors() {
    let floors = [
      "Coding", "Identity", "Wire", "Machines", "Machines/Clock", "Machines/EventLog",
      "Machines/Sessions", "Machines/Relays",
      "Machines/Policy", "Machines/Roster", "Machines/Keys", "Party", "Session", "Messenger",
    ]
    for floor in floors {
      #expect(repository.sources.contains { $0.floor == floor }, "no folder \(floor)")
    }
    expect(
      Rules.risingArrows(of: "GroupActivities", floors: floors, in: repository.sources),
      areExactly: [])
  }

  @Test("A target imports only targets that the manifest names for it")
  func imports() {
    let manifest = Manifest(repository.manifest)
    #expect(manifest.dependencies["Faces"]?.contains("TerminalUI") == true)
    expect(Rules.undeclaredImports(in: repository.sources, manifest), areExactly: [])
    expect(Rules.undeclaredImports(in: repository.tests, manifest), areExactly: [])
  }

  @Test("Each C module is imported by one target")
  func modules() {
    let modules = Set(
      Manifest(repository.manifest).dependencies.values.joined().filter {
        $0.hasPrefix("C") && $0.dropFirst().first?.isUppercase == true
      })
    #expect(modules.contains("CMPV"))
    expect(Rules.sharedModules(in: repository.sources, modules: modules), areExactly: [])
  }

  @Test("Each stream has a bound, except the known ones")
  func bounds() {
    expect(Rules.unboundedStreams(in: repository.sources), areAtMost: Known.unboundedStreams)
  }

  @Test("No default is substituted for a failed read, except the known ones")
  func failures() {
    expect(Rules.substitutedFailures(in: repository.sources), areAtMost: Known.substitutedFailures)
  }

  @Test("No switch over one of the package's own enums has a default, except the known ones")
  func exhaustive() {
    expect(Rules.defaultsOverOwnEnums(in: repository.sources), areAtMost: Known.defaults)
  }

  @Test("Public declarations have a comment, except the known ones")
  func documented() {
    expect(Rules.undocumented(in: repository.sources), areAtMost: Known.undocumented)
  }

  @Test("Doc comments are in plain English, except the known ones")
  func language() {
    expect(Rules.headlessComments(in: repository.sources), areAtMost: Known.headlessComments)
  }

  @Test("No other file writes a type's stored variables, except the known ones")
  func variables() {
    expect(Rules.openVariables(in: repository.sources), areAtMost: Known.openVariables)
  }

  @Test("Each declaration is named somewhere, except the known ones")
  func dead() {
    let libraries = Manifest(repository.manifest).libraries
    #expect(libraries.contains("Relay"))
    expect(
      Rules.dead(in: repository.sources, libraries: libraries), areExactly: Known.unnamed)
  }

  @Test("Each suite has a name of its own, so that FILTER finds one")
  func suiteNames() {
    let names = Suites.all(in: repository.tests).map(\.name)
    #expect(names.count > 150)
    let shared = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }
    #expect(shared.isEmpty, "\(shared.keys.sorted())")
  }

  @Test("Each rule of a group names suites that prove it")
  func rules() {
    let rules = CoordinationRule.all(in: repository.rulePage)
    #expect(rules.count >= 34)
    #expect(rules.map(\.number) == Array(1...max(rules.count, 1)))
    let unproven = rules.filter(\.suites.isEmpty).map(\.number)
    #expect(unproven.isEmpty, "no suites in \(Repository.rulePagePath): \(unproven)")
    let names = Set(Suites.all(in: repository.tests).map(\.name))
    let gone = Set(rules.flatMap(\.suites)).subtracting(names).sorted()
    #expect(gone.isEmpty, "remove from \(Repository.rulePagePath): \(gone)")
  }

  private func expect(
    _ found: Set<String>, areExactly known: Set<String>,
    at location: SourceLocation = #_sourceLocation
  ) {
    let new = found.subtracting(known).sorted()
    #expect(new.isEmpty, "new: \(new)", sourceLocation: location)
    let gone = known.subtracting(found).sorted()
    #expect(gone.isEmpty, "gone, to be removed from Known.swift: \(gone)", sourceLocation: location)
  }

  /// An entry that is gone altogether fails too, so that the list shrinks.
  private func expect(
    _ found: [String: Int], areAtMost known: [String: Int],
    at location: SourceLocation = #_sourceLocation
  ) {
    let new = found.filter { $0.value > known[$0.key] ?? 0 }
    let text = new.map { "\($0.key): \($0.value), allowed \(known[$0.key] ?? 0)" }.sorted()
    #expect(new.isEmpty, "\(text)", sourceLocation: location)
    let gone = known.keys.filter { found[$0] == nil }.sorted()
    #expect(gone.isEmpty, "gone, to be removed from Known.swift: \(gone)", sourceLocation: location)
  }
}

extension Scenario {
  /// The scenario as Swift source, for a test that keeps it.
  public var source: String {
    var lines = ["var scenario = Scenario(seed: \(seed), people: ["]
    for person in people { lines.append("  " + person.source + ",") }
    lines.append("], calmAt: .milliseconds(\(calmAt / 1_000_000 + 1)))")
    if isWholeProgram {
      lines += ["scenario.isWholeProgram = true", "scenario.plan = \(plan)"]
    }
    if hasRelays { lines.append("scenario.hasRelays = true") }
    if let relayOwners { lines.append("scenario.relayOwners = \(relayOwners.sorted())") }
    if !blockedRelays.isEmpty {
      let pairs = blockedRelays.sorted { $0.lexicographicallyPrecedes($1) }
      lines.append("scenario.blockedRelays = \(pairs)")
    }
    if !waitedOut.isEmpty { lines.append("scenario.waitedOut = \(waitedOut)") }
    if !deeds.isEmpty {
      lines.append("scenario.deeds = [")
      for deed in deeds {
        lines.append("  Deed(by: \(deed.by), .\(deed.what.source), when: .\(deed.when)),")
      }
      lines.append("]")
    }
    if !faults.isEmpty {
      lines.append("scenario.faults = [")
      for fault in faults {
        lines.append("  Fault(.\(fault.kind), from: \(fault.from), until: \(fault.until)),")
      }
      lines.append("]")
    }
    for villain in villains {
      let habits = villain.habits.map { ".\($0)" }.sorted().joined(separator: ", ")
      lines.append("scenario.villains.append(Villain(\(villain.number), [\(habits)]))")
    }
    return lines.joined(separator: "\n")
  }
}

extension Person {
  /// Swift source that names only the values that differ from the defaults.
  fileprivate var source: String {
    let usual = Person(number)
    var text = "Person(\(number)"
    func add<Value: Equatable>(_ name: String, _ path: KeyPath<Person, Value>) {
      if self[keyPath: path] != usual[keyPath: path] { text += ", \(name): \(self[keyPath: path])" }
    }
    add("arrivesAt", \.arrivesAt)
    add("clockOffset", \.clockOffset)
    add("drift", \.drift)
    add("delayUp", \.delayUp)
    add("delayDown", \.delayDown)
    add("frame", \.frame)
    add("seekCost", \.seekCost)
    add("loadingTime", \.loadingTime)
    add("isPrepared", \.isPrepared)
    add("isDoorGuest", \.isDoorGuest)
    return text + ")"
  }
}

extension Deed.What {
  fileprivate var source: String {
    switch self {
    case .amend(let amendment): "amend(.\(amendment))"
    default: "\(self)"
    }
  }
}

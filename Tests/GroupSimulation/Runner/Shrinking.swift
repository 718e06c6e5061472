extension Trial {
  /// Returns a smaller scenario that breaks the same invariant: with fewer people, deeds and
  /// faults, a shorter duration, and machines as plain as possible.
  ///
  /// It removes halves, then quarters, and so on, for as long as the invariant still breaks (Zeller
  /// and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002).
  ///
  /// - Parameters:
  ///   - tries: the greatest number of scenarios to run.
  ///   - events: the greatest number of events to simulate; a scenario with fifty people has a
  ///     million.
  public func shrunk(
    options: Simulation.Options = Simulation.Options(), tries: Int = 600, events: Int = 2_000_000
  ) -> Trial {
    guard let invariant = breach?.invariant else { return self }
    var smallest = self
    var left = tries
    var eventsLeft = events
    func attempt(_ scenario: Scenario) -> Bool {
      guard left > 0, eventsLeft > 0, scenario != smallest.scenario else { return false }
      left -= 1
      let trial = Trial.run(scenario, options: options)
      eventsLeft -= trial.events
      guard trial.breach?.invariant == invariant else { return false }
      smallest = trial
      return true
    }
    var before: Scenario
    repeat {
      before = smallest.scenario
      shorten(\.deeds)
      shorten(\.faults)
      // The first person creates the party.
      shorten(\.others)
      calmDown()
      plain()
    } while smallest.scenario != before && left > 0 && eventsLeft > 0
    return smallest

    func shorten<Element>(_ path: WritableKeyPath<Scenario, [Element]>) {
      var size = max(1, smallest.scenario[keyPath: path].count / 2)
      while true {
        var start = 0
        while start < smallest.scenario[keyPath: path].count {
          var scenario = smallest.scenario
          let end = min(start + size, scenario[keyPath: path].count)
          scenario[keyPath: path].removeSubrange(start..<end)
          if !attempt(scenario) { start = end }
        }
        if size == 1 { return }
        size /= 2
      }
    }

    func calmDown() {
      var scenario = smallest.scenario
      let last =
        (scenario.deeds.map(\.lastTime) + scenario.faults.map(\.until)
        + scenario.people.map(\.arrivesAt)).max() ?? 0
      scenario.calmAt = min(scenario.calmAt, last + .milliseconds(100))
      _ = attempt(scenario)
    }

    func plain() {
      for index in smallest.scenario.people.indices {
        func simplify(_ body: (inout Person) -> Void) {
          var scenario = smallest.scenario
          body(&scenario.people[index])
          _ = attempt(scenario)
        }
        let usual = Person(0)
        simplify { $0.drift = 0 }
        simplify { $0.clockOffset = usual.clockOffset }
        simplify { ($0.delayUp, $0.delayDown) = (usual.delayUp, usual.delayDown) }
        simplify { $0.frame = usual.frame }
        simplify { ($0.seekCost, $0.loadingTime) = (usual.seekCost, usual.loadingTime) }
        simplify { $0.isPrepared = false }
        simplify { $0.isDoorGuest = false }
        simplify { $0.arrivesAt = 0 }
      }
    }
  }
}

extension Scenario {
  fileprivate var others: [Person] {
    get { Array(people.dropFirst()) }
    set { people = [people[0]] + newValue }
  }
}

extension Deed {
  /// The latest end of the deed or fault, as far as that is known.
  fileprivate var lastTime: Nanoseconds {
    switch when {
    case .at(let time): time
    case .after: 0
    }
  }
}

import GroupSimulation

/// All outside influences on a few machines that open direct paths. A value that follows from its seed.
struct PathScenario: Hashable, Sendable {
  let seed: UInt64
  var routers: [Router] = []
  var people: [Person] = []
  var faults: [Fault] = []
  /// The share of packets that are lost on the internet.
  var loss = 0.0
  /// The longest additional delay of a packet.
  var jitter: Nanoseconds = .milliseconds(5)
  /// A Boolean value that indicates whether a machine on the way sends old packets again.
  var hasAttacker = false
  /// A member that names another machine's address as its own; nil for none.
  var liar: Int?
  /// The time until which all is observed.
  var span = Nanoseconds.seconds(12)

  /// A router between a network and an outer one.
  struct Router: Hashable, Sendable {
    var kind: SimulatedRouter.Kind
    var hairpins = false
    /// The router of the outer network; nil for the internet.
    var outer: Int?
  }

  struct Person: Hashable, Sendable {
    /// The router of its network; nil for a machine on the internet.
    var router: Int?
    var ipv6 = IPv6.none
    var isBlocked = false
    /// The delay to the internet.
    var delay: Nanoseconds = .milliseconds(10)
  }

  enum IPv6: Hashable, Sendable { case none, open, firewalled }

  struct Fault: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case restart(router: Int)
      case move(person: Int, router: Int?)
    }
    var kind: Kind
    var at: Nanoseconds
  }

  /// Returns whether two people's machines can reach each other, by what is known of their routers.
  func canOpen(_ a: Int, _ b: Int, _ routerOf: [Int?]) -> Bool {
    let (one, two) = (people[a], people[b])
    if one.isBlocked || two.isBlocked || a == liar || b == liar { return false }
    if one.ipv6 != .none, two.ipv6 != .none { return true }
    let (first, second) = (chain(routerOf[a]), chain(routerOf[b]))
    if let common = first.first(where: { second.contains($0) }) {
      // A machine right behind the common router has an address that the other one reaches.
      if routerOf[a] == common || routerOf[b] == common { return true }
      guard routers[common].hairpins else { return false }
    }
    let kinds = (first.map { routers[$0].kind }, second.map { routers[$0].kind })
    let symmetric = (kinds.0.contains(.symmetric), kinds.1.contains(.symmetric))
    let strict = (
      symmetric.0 || kinds.0.contains(.portRestricted),
      symmetric.1 || kinds.1.contains(.portRestricted)
    )
    return !(symmetric.0 && strict.1) && !(symmetric.1 && strict.0)
  }

  /// The routers from a network to the internet.
  private func chain(_ router: Int?) -> [Int] {
    Array(sequence(first: router) { $0.flatMap { .some(routers[$0].outer) } }.prefix { $0 != nil })
      .compactMap(\.self)
  }
}

extension PathScenario {
  /// Two people, each behind a router of the given kind.
  static func pair(_ one: SimulatedRouter.Kind, _ two: SimulatedRouter.Kind, seed: UInt64 = 1)
    -> PathScenario
  {
    var scenario = PathScenario(seed: seed)
    scenario.routers = [Router(kind: one), Router(kind: two)]
    scenario.people = [Person(router: 0), Person(router: 1)]
    return scenario
  }

  /// A scenario of two to five people.
  static func random(seed: UInt64) -> PathScenario {
    var dice = PathDice(seed: seed, 1)
    var scenario = PathScenario(seed: seed)
    let count = Int(dice.number(2...5))
    for number in 0..<count {
      var person = Person(router: nil)
      person.delay = .milliseconds(dice.number(2...80))
      person.isBlocked = dice.chance(0.04)
      let six = Double.random(in: 0..<1, using: &dice)
      person.ipv6 = six < 0.7 ? .none : six < 0.8 ? .open : .firewalled
      if number > 0, dice.chance(0.15) {
        person.router = scenario.people[number - 1].router
      } else if !dice.chance(0.1) {
        person.router = scenario.addRouter(&dice)
      }
      scenario.people.append(person)
    }
    if dice.chance(0.5) { scenario.loss = Double.random(in: 0...0.15, using: &dice) }
    scenario.jitter = .milliseconds(dice.number(1...30))
    scenario.hasAttacker = dice.chance(0.3)
    if dice.chance(0.15) { scenario.liar = Int(dice.number(0...Int64(count - 1))) }
    if dice.chance(0.4) { scenario.addFault(&dice) }
    return scenario
  }

  private mutating func addRouter(_ dice: inout PathDice) -> Int {
    var router = Router(kind: dice.pick(SimulatedRouter.Kind.allCases))
    router.hairpins = dice.chance(0.4)
    if dice.chance(0.2) {
      // A provider's router, which may serve others too.
      let outer = routers.indices.first { routers[$0].outer == nil && dice.chance(0.5) }
      if let outer {
        router.outer = outer
      } else {
        routers.append(
          Router(kind: dice.pick(SimulatedRouter.Kind.allCases), hairpins: dice.chance(0.5)))
        router.outer = routers.count - 1
      }
    }
    routers.append(router)
    return routers.count - 1
  }

  private mutating func addFault(_ dice: inout PathDice) {
    let time = Nanoseconds.seconds(12) + dice.number(0...Nanoseconds.seconds(3))
    if !routers.isEmpty, dice.chance(0.5) {
      let router = Int(dice.number(0...Int64(routers.count - 1)))
      faults.append(Fault(kind: .restart(router: router), at: time))
    } else {
      let person = Int(dice.number(0...Int64(people.count - 1)))
      let router = dice.chance(0.3) ? nil : addRouter(&dice)
      faults.append(Fault(kind: .move(person: person, router: router), at: time))
    }
    span = .seconds(45)
  }
}

import Concurrency
import DequeModule
import GroupActivities
import Timekeeping

/// The loop of one participant's program: events go into the machine at once, and the effects of each event are performed
/// in order.
///
/// The loop is a value that knows no adapter and reads no clock: ``next(at:)`` returns the next effect, and
/// ``answered(_:with:at:)`` takes the answer of its adapter, whose events the machine handles before the chain of effects
/// goes on. The program runs it with real adapters, the simulator with others on virtual time.
package struct ScreeningLoop: Sendable {
  package typealias Machine = ScreeningMachine

  /// The identifier of the effects of one event.
  package struct ChainID: Hashable, Sendable { fileprivate var rawValue = 0 }

  /// An effect for an adapter to perform.
  package struct Job: Sendable {
    fileprivate var number: Int
    /// The event that the effect follows from.
    package let chain: ChainID
    package var effect: Machine.Effect

    /// A Boolean value that indicates whether no other effect is performed before the answer.
    package var holdsLoop: Bool { effect.patience == .all }
  }

  /// The effects of one event that have yet to be performed.
  private struct Chain: Sendable {
    enum Step: Sendable {
      case perform(Machine.Effect)
      /// The effects of an attempt end here.
      case attemptEnds(FailureEffect)
    }

    var id: ChainID
    var steps: Deque<Step>
    var answer = CommandAnswer.done
    /// A Boolean value that indicates whether a face waits for the answer, and reports a failure.
    var isCommand: Bool

    mutating func insert(_ effects: [Machine.Effect]) {
      steps.prepend(contentsOf: effects.map { .perform($0) })
    }
  }

  package private(set) var machine: Machine
  private var lastID = ChainID()
  private var lastJob = 0
  /// The chains whose next effect can be performed, in the order of their events. Events that come while effects are
  /// performed are few.
  private var ready: Deque<Chain> = []
  /// The chain that waits for an effect which all others wait for, too.
  private var current: (job: Int, chain: Chain)?
  /// The chains that wait for the answer of an adapter, by the number of the job.
  private var away: [Int: Chain] = [:]
  private var waiting: [(condition: Machine.Condition, chain: Chain)] = []
  private var ended: [(ChainID, Result<CommandAnswer, any Error>)] = []
  private var host = MachineHost<Machine>()

  package init(_ machine: Machine) { self.machine = machine }

  // MARK: - Events

  /// Handles an event. Its effects are performed after those of earlier events.
  ///
  /// - Parameter isCommand: true if the caller reports a failure; otherwise it is an event for the faces.
  package mutating func handle(
    _ event: Machine.Event, isCommand: Bool = false, at now: HostTime
  ) -> ChainID {
    lastID.rawValue += 1
    var chain = Chain(id: lastID, steps: [], isCommand: isCommand)
    do {
      chain.insert(try machine.handle(event, at: now))
      ready.append(chain)
    } catch {
      fail(chain, error)
    }
    recheck()
    return lastID
  }

  /// Queues effects that follow from no event of a caller's.
  private mutating func append(_ effects: [Machine.Effect]) {
    lastID.rawValue += 1
    var chain = Chain(id: lastID, steps: [], isCommand: false)
    chain.insert(effects)
    ready.append(chain)
    recheck()
  }

  /// Sets the alarm for the machine's next deadline.
  package mutating func setAlarm() -> AlarmSetting.Change? { host.setAlarm(for: machine) }

  package mutating func alarmRang(_ number: Int, at now: HostTime) {
    if let effects = host.alarmRang(number, for: &machine, at: now) { append(effects) }
  }

  package mutating func cancelAlarm() -> AlarmSetting.Change? { host.cancelAlarm() }

  /// Returns the chains that have ended since the last call, with the answers to their commands.
  package mutating func takeEnded() -> [(ChainID, Result<CommandAnswer, any Error>)] {
    defer { ended = [] }
    return ended
  }

  // MARK: - Effects

  /// Returns the next effect for an adapter; nil if the loop waits for an event or an answer.
  package mutating func next(at now: HostTime) -> Job? {
    while current == nil, var chain = ready.popFirst() {
      guard let step = chain.steps.popFirst() else {
        ended.append((chain.id, .success(chain.answer)))
        continue
      }
      switch step {
      case .attemptEnds: ready.prepend(chain)
      case .perform(.then(let event)): goOn(chain, with: [event], at: now)
      case .perform(.wait(let condition)):
        if machine.holds(condition) {
          ready.prepend(chain)
        } else {
          waiting.append((condition, chain))
        }
      case .perform(.refuse(let error)): fail(chain, error)
      case .perform(.attempt(let effects, let failure)):
        chain.steps.prepend(.attemptEnds(failure))
        chain.insert(effects)
        ready.prepend(chain)
      case .perform(let effect) where machine.isOutdated(effect): ready.prepend(chain)
      case .perform(let effect):
        lastJob += 1
        let job = Job(number: lastJob, chain: chain.id, effect: effect)
        switch effect.patience {
        case .all: current = (lastJob, chain)
        case .chain: away[lastJob] = chain
        case .nobody: ready.prepend(chain)
        }
        return job
      }
    }
    return nil
  }

  /// Takes the answer to an effect.
  package mutating func answered(
    _ job: Job, with answer: Result<EffectAnswer, any Error>, at now: HostTime
  ) {
    guard var chain = takeChain(of: job) else { return begin(with: answer, of: job, at: now) }
    switch answer {
    case .success(let answer):
      if let given = answer.command { chain.answer = given }
      goOn(chain, with: answer.events, at: now)
    case .failure(let error):
      if let effects = machine.failed(job.effect, error) {
        chain.insert(effects)
        ready.prepend(chain)
      } else {
        fail(chain, error)
      }
    }
    recheck()
  }

  /// Handles the answer to an effect that held up no other.
  private mutating func begin(
    with answer: Result<EffectAnswer, any Error>, of job: Job, at now: HostTime
  ) {
    switch answer {
    case .success(let answer): for event in answer.events { _ = handle(event, at: now) }
    case .failure(let error):
      append(machine.failed(job.effect, error) ?? [.report(.failed("\(error)"))])
    }
  }

  private mutating func takeChain(of job: Job) -> Chain? {
    if current?.job == job.number { return current.take()?.chain }
    return away.removeValue(forKey: job.number)
  }

  /// Lets the machine handle events, whose effects come before the rest of the chain.
  private mutating func goOn(
    _ chain: Chain, with events: [Machine.Event], at now: HostTime
  ) {
    var chain = chain
    do {
      var effects: [Machine.Effect] = []
      for event in events { effects += try machine.handle(event, at: now) }
      chain.insert(effects)
      ready.prepend(chain)
    } catch {
      fail(chain, error)
    }
    recheck()
  }

  /// Ends a chain at a failure, or goes on after the attempt that failed.
  private mutating func fail(_ chain: Chain, _ error: any Error) {
    var chain = chain
    while let step = chain.steps.popFirst() {
      guard case .attemptEnds(let failure) = step else { continue }
      chain.insert(Self.effects(of: failure, error))
      ready.prepend(chain)
      return
    }
    guard !chain.isCommand else { return ended.append((chain.id, .failure(error))) }
    chain.insert([.report(.failed("\(error)"))])
    ready.prepend(chain)
  }

  private static func effects(
    of failure: FailureEffect, _ error: any Error
  ) -> [Machine.Effect] {
    switch failure {
    case .report(let words): [.report(.failed(words + "\(error)"))]
    case .warn(let words): [.report(.warning(words + "\(error)"))]
    case .nothing: []
    case .reapply: [.report(.failed("\(error)")), .reapply]
    }
  }

  /// Lets chains go on whose conditions hold now.
  private mutating func recheck() {
    guard !waiting.isEmpty else { return }
    for entry in waiting where machine.holds(entry.condition) { ready.append(entry.chain) }
    waiting.removeAll { machine.holds($0.condition) }
  }
}

/// The answer to a command, beside the events that follow from it.
package enum CommandAnswer: Hashable, Sendable {
  case done
  /// A sentence for the user.
  case notice(String)
  /// The user asked for the state.
  case state
}

/// The answer of an adapter to an effect.
package struct EffectAnswer: Hashable, Sendable {
  /// The events for the machine, which it handles before further effects.
  package var events: [ScreeningMachine.Event] = []
  /// The answer to the command; nil for none.
  package var command: CommandAnswer?

  package init(_ events: [ScreeningMachine.Event] = [], command: CommandAnswer? = nil) {
    self.events = events
    self.command = command
  }

  package static let done = Self()

  /// - Parameter text: a sentence for the user; nil for none.
  package static func notice(_ text: String?) -> Self {
    EffectAnswer(command: text.map { .notice($0) })
  }
}

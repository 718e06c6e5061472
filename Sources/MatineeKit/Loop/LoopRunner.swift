import Concurrency
import Screening
import Timekeeping

/// The host of the loop: it takes events from the faces and the adapters, and hands out effects.
@ScreeningActor
final class LoopRunner {
  private(set) var loop: ScreeningLoop
  private let alarm = Alarm()
  private var answers: [ScreeningLoop.ChainID: OneShot<Result<CommandAnswer, any Error>>] = [:]
  /// Fulfilled when there may be an effect to perform.
  private var wakeUp = OneShot<Void>()
  private var isFinished = false

  init() {
    loop = ScreeningLoop(ScreeningMachine(random: SystemRandomNumberGenerator()))
  }

  var machine: ScreeningMachine { loop.machine }

  /// Ends the loop: no effect is performed any more.
  func finish() {
    isFinished = true
    alarm.perform(loop.cancelAlarm()) { _ in }
    for answer in answers.values { answer.fulfil(.failure(CancellationError())) }
    answers = [:]
    wakeUp.fulfil(())
  }

  // MARK: - Events

  /// Handles an event, and returns before its effects are performed.
  func send(_ event: ScreeningMachine.Event) {
    _ = loop.handle(event, at: .now())
    changed()
  }

  /// Handles an event, and returns once its effects are performed.
  func handle(_ event: ScreeningMachine.Event) async {
    let answer = OneShot<Result<CommandAnswer, any Error>>()
    guard !isFinished else { return }
    answers[loop.handle(event, at: .now())] = answer
    changed()
    _ = await answer.certainValue()
  }

  /// Carries out a command of the user.
  ///
  /// - Throws: the reason why it isn't possible, as text for the user.
  func perform(_ command: UserCommand) async throws -> CommandAnswer {
    try await carryOut(.command(command))
  }

  /// Carries out what the user asked for.
  ///
  /// - Throws: the reason why it isn't possible, as text for the user.
  @discardableResult
  func carryOut(_ event: ScreeningMachine.Event) async throws -> CommandAnswer {
    let answer = OneShot<Result<CommandAnswer, any Error>>()
    guard !isFinished else { throw CancellationError() }
    answers[loop.handle(event, isCommand: true, at: .now())] = answer
    changed()
    return try await answer.certainValue().get()
  }

  // MARK: - Effects

  /// Waits for the next effect; nil once the loop has ended.
  func nextJob() async -> ScreeningLoop.Job? {
    while !isFinished {
      if let job = loop.next(at: .now()) { return job }
      deliver()
      let wakeUp = OneShot<Void>()
      self.wakeUp = wakeUp
      await wakeUp.certainValue()
    }
    return nil
  }

  func answered(_ job: ScreeningLoop.Job, with answer: Result<EffectAnswer, any Error>) {
    loop.answered(job, with: answer, at: .now())
    changed()
  }

  private func changed() {
    guard !isFinished else { return }
    alarm.perform(loop.setAlarm()) { [weak self] number in await self?.alarmRang(number) }
    deliver()
    wakeUp.fulfil(())
  }

  private func alarmRang(_ number: Int) {
    loop.alarmRang(number, at: .now())
    changed()
  }

  private func deliver() {
    for (id, result) in loop.takeEnded() { answers.removeValue(forKey: id)?.fulfil(result) }
  }
}

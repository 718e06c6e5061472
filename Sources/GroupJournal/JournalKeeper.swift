import Concurrency
import Dispatch
import Foundation
import GroupActivities
import Timekeeping

/// Carries out the decisions of the journal's machine: stores files, sends messages, and resumes waiting
/// callers.
actor JournalKeeper {
  private let queue = JournalQueue()
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// The journal's lane. One session may have several keepers, one after the other, each with a lane of its own.
  let lane: GroupSessionLane
  var machine: JournalMachine
  private var host = MachineHost<JournalMachine>()
  private let alarm = Alarm()
  var store: AttachmentStore
  nonisolated let entries = Broadcast<[JournalBook.Entry]>([])
  var progress: [UUID: Broadcast<AttachmentProgress>] = [:]
  /// The callers that wait for an attachment; nil means that it is complete.
  var waiters: [UUID: [Int: OneShot<JournalError?>]] = [:]
  private var lastNumber = 0
  /// The open readers, by their numbers.
  var readers: [Int: AttachmentReading] = [:]
  /// The participants that sent data that doesn't match an attachment, and those of them that were reported
  /// to the program.
  private var liars: Set<Participant.ID> = []
  private var toldLiars: Set<Participant.ID> = []
  private var outgoing: [GroupSessionLane.Message] = []
  private var pump: Task<Void, Never>?
  private(set) var isEnded = false
  /// The attachments whose topics this participant subscribes to, and the task that subscribes to the last one.
  private var topics: Set<UUID> = []
  private var subscribing: Task<Void, Never>?

  init(lane: GroupSessionLane, directory: URL?, timing: JournalTiming) {
    self.lane = lane
    machine = JournalMachine(
      .init(id: lane.localID, authorship: AttachmentAuthorship(lane), timing: timing), at: .now())
    store = AttachmentStore(directory: directory)
  }

  func begin() async {
    guard !isEnded else { return }
    let events = await lane.events()
    guard !isEnded else { return }
    pump = Task { [weak self] in
      for await event in events {
        guard let self else { return }
        await self.handle(event)
      }
      // The session is over.
      await self?.end()
    }
  }

  /// Ends the journal, because the session is over or because no caller needs the journal any more.
  func end() async {
    guard !isEnded else { return }
    isEnded = true
    pump?.cancel()
    alarm.perform(host.cancelAlarm()) { _ in }
    let waiting = waiters.values.flatMap(\.values)
    waiters = [:]
    for waiter in waiting { waiter.fulfil(.party(.sessionOver)) }
    entries.finish()
    for broadcast in progress.values { broadcast.finish() }
    progress = [:]
    for reading in readers.values { reading.fail(.party(.sessionOver)) }
    readers = [:]
    store.removeAll()
    subscribing?.cancel()
    for id in topics { await lane.unsubscribe(from: id.uuidString) }
    await lane.close()
  }

  /// The number of discarded messages.
  var refused: Int { machine.refused }

  /// Returns a number for a waiting caller or a reader.
  func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  // MARK: - Inputs

  private func handle(_ event: LaneEvent) async {
    guard !isEnded else { return }
    switch event {
    case .received(let data, let sender):
      perform(machine.received(data, from: sender, at: .now()))
    case .changed(let conditions):
      if machine.isConnected, !conditions.isConnected {
        machine.disconnected()
        schedule()
      } else if !machine.isConnected, conditions.isConnected {
        perform(machine.connected(at: .now()))
      }
      perform(machine.membersChanged(conditions.participants, at: .now()))
    }
    await flush()
  }

  private func alarmRang(_ number: Int) async {
    guard !isEnded, let actions = host.alarmRang(number, for: &machine, at: .now()) else { return }
    perform(actions)
    await flush()
  }

  private func schedule() {
    guard !isEnded else { return }
    alarm.perform(host.setAlarm(for: machine)) { [weak self] number in
      await self?.alarmRang(number)
    }
  }

  func flush() async {
    for liar in liars.subtracting(toldLiars) {
      toldLiars.insert(liar)
      await lane.warn(
        about: liar, "sent data that doesn't match the attachment. It was discarded.")
    }
    guard !outgoing.isEmpty else { return }
    let batch = outgoing
    outgoing = []
    do {
      try await lane.send(batch)
    } catch {
      preconditionFailure("a journal's messages fit the lane: \(error)")
    }
  }

  // MARK: - Actions

  func perform(_ actions: [JournalAction]) {
    for action in actions { perform(action) }
    schedule()
  }

  private func perform(_ action: JournalAction) {
    switch action {
    case .send(let message, let recipient): outgoing.append(.init(message.encoded(), to: recipient))
    case .serve(let id, let piece, let recipient): serve(id, piece, to: recipient)
    case .share(let id, let piece, let askers): share(id, piece, askers)
    case .listen(let id): changeTopic(id, isWanted: true)
    case .ignore(let id): changeTopic(id, isWanted: false)
    case .begin(let id, let layout, let isEager):
      store(id) { store throws(JournalError) in
        try store.begin(id, layout, isEager: isEager)
      }
    case .write(let id, let piece, let bytes):
      store(id) { store throws(JournalError) in try store[id]?.write(piece, bytes) }
      if piece.level == 0, store[id] != nil {
        for reading in readers(of: id) { reading.chunkArrived(piece.index) }
      }
    case .discard(let id): store.discard(id)
    case .changed: entries.send(machine.book.entries)
    case .progressed(let id):
      if let broadcast = progress[id], let now = currentProgress(of: id) { broadcast.send(now) }
    case .completed(let id):
      // Storing the last piece may have failed.
      if machine.held.contains(id) { finish(id, nil) }
    case .failed(let id, .removed):
      finish(id, .removed)
      for reading in readers(of: id) { reading.fail(.removed) }
    case .failed(let id, .unavailable): finish(id, .unavailable)
    case .unreadable(let id): for reading in readers(of: id) { reading.release(.unavailable) }
    case .lied(let id): liars.insert(id)
    }
  }

  private func serve(_ id: UUID, _ piece: Piece, to recipient: Participant.ID) {
    guard let bytes = stored(piece, of: id, for: [recipient]) else { return }
    outgoing.append(.init(JournalMessage.piece(id, piece, bytes).encoded(), to: .only(recipient)))
  }

  private func share(_ id: UUID, _ piece: Piece, _ askers: [Participant.ID]) {
    guard let bytes = stored(piece, of: id, for: askers) else { return }
    let message = JournalMessage.shared(
      id, piece, bytes, askers: Array(askers.prefix(JournalMessage.askerLimit)))
    outgoing.append(.init(message.encoded(), to: .subscribers(of: id.uuidString)))
  }

  /// Reads a stored piece.
  ///
  /// - Returns: nil if the file has changed, of which the participants that asked learn.
  private func stored(_ piece: Piece, of id: UUID, for askers: [Participant.ID]) -> Data? {
    if let file = store[id], let bytes = try? file.read(piece) { return bytes }
    _ = lost(id)
    let holding = JournalMessage.holding(.init(id: id, chunks: [])).encoded()
    outgoing += askers.map { .init(holding, to: .only($0)) }
    return nil
  }

  /// Handles a stored file that has changed. Participants that ask for the attachment learn that it isn't
  /// here.
  func lost(_ id: UUID) -> JournalError {
    let path = store[id]?.chunks.path ?? "an attachment's file"
    store.discard(id)
    perform(machine.lost(id, at: .now()))
    return .storage("\(path) has changed since it was added")
  }

  /// Changes the subscription to an attachment's topic, after earlier changes.
  private func changeTopic(_ id: UUID, isWanted: Bool) {
    guard isWanted || topics.contains(id) else { return }
    if isWanted { topics.insert(id) } else { topics.remove(id) }
    subscribing = Task { [weak self, before = subscribing, lane] in
      await before?.value
      guard isWanted else { return await lane.unsubscribe(from: id.uuidString) }
      if await lane.subscribe(to: id.uuidString) { await self?.topicOpened(id) }
    }
  }

  private func topicOpened(_ id: UUID) { machine.listening(to: id) }

  private func store(
    _ id: UUID, _ body: (inout AttachmentStore) throws(JournalError) -> Void
  ) {
    do {
      try body(&store)
    } catch {
      machine.storageFailed(id)
      store.discard(id)
      changeTopic(id, isWanted: false)
      finish(id, error)
      for reading in readers(of: id) { reading.fail(error) }
    }
  }

  private func finish(_ id: UUID, _ error: JournalError?) {
    for waiter in (waiters.removeValue(forKey: id) ?? [:]).values {
      perform(machine.demandEnded(id))
      waiter.fulfil(error)
    }
    progress.removeValue(forKey: id)?.finish()
  }
}

/// The executor of a journal. File access may be slow, and nothing may block Swift's cooperative pool.
final class JournalQueue: SerialExecutor {
  private let queue = DispatchQueue(label: "matinee.journal", qos: .utility)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

import Foundation
import Synchronization
import Timekeeping

/// Carries out what the journal's machine decides: files, sending, and who waits for what.
actor JournalKeeper {
  private let queue = JournalQueue()
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// One session may have several keepers, one after the other.
  private let id = UUID()
  private let party: Party
  private let session: GroupSessionID
  private var machine: JournalMachine
  private var store: AttachmentStore
  nonisolated let entries = Broadcast<[JournalBook.Entry]>([])
  private var progress: [UUID: Broadcast<AttachmentProgress>] = [:]
  private var waiters: [UUID: [Int: CheckedContinuation<JournalError?, Never>]] = [:]
  private var lastWaiter = 0
  /// Who sent something that wasn't what was added, and of whom the program was told.
  private var liars: Set<Participant.ID> = []
  private var toldLiars: Set<Participant.ID> = []
  private var outgoing: [(data: Data, recipient: PartyAction.Recipient)] = []
  private nonisolated let inbox: Inbox
  private var pump: Task<Void, Never>?
  private var timer: Task<Void, Never>?
  private var timerDeadline: HostTime?
  private var isEnded = false

  init(party: Party, session: GroupSessionID, directory: URL?, timing: JournalTiming) {
    self.party = party
    self.session = session
    machine = JournalMachine(
      .init(
        id: party.localID, session: session, authorship: party.authorship, timing: timing),
      at: .now())
    store = AttachmentStore(parent: directory)
    inbox = Inbox()
  }

  func begin() async {
    guard !isEnded else { return }
    let inputs = inbox.inputs
    pump = Task { [weak self] in
      for await input in inputs {
        guard let self else { return }
        await self.handle(input)
      }
    }
    await party.beginJournal(id, session: session) { [inbox] in inbox.put($0) }
    if isEnded { await party.endJournal(id) }
  }

  /// The session is over, or nobody needs the journal any more.
  func end() async {
    guard !isEnded else { return }
    isEnded = true
    pump?.cancel()
    timer?.cancel()
    inbox.close()
    let waiting = waiters.values.flatMap(\.values)
    waiters = [:]
    for waiter in waiting { waiter.resume(returning: .party(.sessionOver)) }
    entries.finish()
    for broadcast in progress.values { broadcast.finish() }
    progress = [:]
    store.removeAll()
    await party.endJournal(id)
  }

  /// Where its files are, while it has some.
  var directory: String? { store.directory }
  /// How many messages were thrown away.
  var refused: Int { machine.refused }

  // MARK: - Adding and removing

  /// What an attachment is made of.
  enum Source: Sendable {
    case bytes(Data)
    case file(URL)
  }

  func add(
    _ source: Source, type: String, metadata: Data?
  ) async throws(JournalError) -> JournalBook.Entry {
    if let metadata, metadata.count > JournalBody.metadataLimit {
      throw .tooLarge(
        bytes: Int64(metadata.count), limit: Int64(JournalBody.metadataLimit))
    }
    guard !isEnded else { throw .party(.sessionOver) }
    let (file, root) = try await hash(source)
    let place: (slot: Int, time: GroupTime)
    do {
      place = try await party.journalSlot(session: session)
    } catch {
      store.discard(file)
      throw .party(error)
    }
    guard !isEnded else { throw .party(.sessionOver) }
    var name: String?
    if case .file(let url) = source { name = Self.fileName(url.lastPathComponent) }
    let body = JournalBody(
      addedAt: place.time.nanoseconds, size: file.layout.size, root: root, type: type,
      fileName: name, metadata: metadata)
    guard let (id, actions) = machine.add(body, slot: place.slot, at: .now()),
      let entry = machine.book.entry(id)
    else {
      store.discard(file)
      throw .tooMany
    }
    store.adopt(file, as: id)
    perform(actions)
    await flush()
    return entry
  }

  func remove(_ id: UUID) async throws(JournalError) {
    guard !isEnded else { throw .party(.sessionOver) }
    guard machine.isMember else { throw .party(.notJoined) }
    perform(machine.remove(id, at: .now()))
    await flush()
  }

  /// Small files are copied, since people change them; large ones are read where they are, and checked
  /// again when somebody asks for them.
  private func hash(_ source: Source) async throws(JournalError) -> (AttachmentFile, root: Data) {
    let original: OpenFile?
    let size: Int64
    switch source {
    case .bytes(let data):
      original = nil
      size = Int64(data.count)
    case .file(let url):
      // A pipe without a writer would make opening it wait.
      let file = try OpenFile(path: url.path, flags: O_RDONLY | O_NONBLOCK)
      guard let fileSize = try file.size() else { throw .notAFile(url.path) }
      original = file
      size = fileSize
    }
    guard let layout = AttachmentLayout(size: size) else {
      throw .tooLarge(bytes: size, limit: AttachmentLayout.sizeLimit)
    }
    let borrowed = size > machine.timing.eagerLimit ? original : nil
    let blocks = layout.counts.count > 1 ? try store.newFile() : nil
    let file = AttachmentFile(
      layout: layout, chunks: try chunks(borrowed), blocks: blocks,
      isBorrowed: borrowed != nil)
    do throws(JournalError) {
      var hasher = AttachmentHasher(layout: layout, blocks: blocks)
      for index in 0..<layout.chunkCount {
        let piece = Piece(level: 0, index: index)
        let offset = layout.offset(of: piece)
        let length = layout.length(of: piece)
        let bytes: Data
        switch source {
        case .bytes(let data): bytes = data.dropFirst(Int(offset)).prefix(length)
        case .file: bytes = try original!.read(length, at: offset)
        }
        guard bytes.count == length else {
          throw .storage("\(original?.path ?? "it") changed while it was read")
        }
        try hasher.take(bytes)
        if borrowed == nil { try file.write(piece, bytes) }
        if index % 64 == 63 {
          await Task.yield()
          guard !Task.isCancelled else { throw .cancelled }
          guard !isEnded else { throw .party(.sessionOver) }
        }
      }
      return (file, hasher.root!)
    } catch {
      store.discard(file)
      throw error
    }
  }

  private func chunks(_ borrowed: OpenFile?) throws(JournalError) -> OpenFile {
    if let borrowed { return borrowed }
    return try store.newFile()
  }

  /// What may be shown, and made a file of.
  private static func fileName(_ raw: String) -> String? {
    let cleaned = PartyText.clean(
      raw.replacingOccurrences(of: "/", with: "_"), limit: JournalBody.fileNameLimit)
    return ["", ".", ".."].contains(cleaned) ? nil : cleaned
  }

  // MARK: - Loading

  /// Waits until all of it is here.
  ///
  /// - Returns: it, to be read.
  private func fetch(_ id: UUID) async throws(JournalError) -> AttachmentFile {
    guard !isEnded else { throw .party(.sessionOver) }
    if machine.held.contains(id), let file = store[id] { return file }
    guard machine.book.entry(id) != nil else { throw .removed }
    lastWaiter += 1
    let waiter = lastWaiter
    let error = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<JournalError?, Never>) in
        guard !Task.isCancelled else {
          continuation.resume(returning: .cancelled)
          return
        }
        waiters[id, default: [:]][waiter] = continuation
        perform(machine.demand(id, at: .now()))
        inbox.put(.flush)
      }
    } onCancel: {
      inbox.put(.cancel(id, waiter: waiter))
    }
    if let error { throw error }
    guard !isEnded, let file = store[id] else { throw .removed }
    return file
  }

  func load(_ id: UUID, limit: Int64) async throws(JournalError) -> Data {
    if let entry = machine.book.entry(id), entry.body.size > limit {
      throw .tooLarge(bytes: entry.body.size, limit: limit)
    }
    let file = try await fetch(id)
    guard let data = try file.readAll() else { throw lost(id) }
    return data
  }

  /// Copies it to a file that isn't there yet.
  func load(_ id: UUID, to path: String) async throws(JournalError) {
    let file = try await fetch(id)
    let copy = try OpenFile(path: path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
    do throws(JournalError) {
      for index in 0..<file.layout.chunkCount {
        let piece = Piece(level: 0, index: index)
        guard let bytes = try file.read(piece) else { throw lost(id) }
        try copy.write(bytes, at: file.layout.offset(of: piece))
        if index % 64 == 63 {
          await Task.yield()
          guard !Task.isCancelled else { throw .cancelled }
        }
      }
    } catch {
      unlink(path)
      throw error
    }
  }

  func progress(of id: UUID) -> AsyncStream<AttachmentProgress> {
    guard !isEnded, let now = currentProgress(of: id) else {
      let over = Broadcast<AttachmentProgress>()
      over.finish()
      return over.values()
    }
    let broadcast = progress[id] ?? Broadcast(now)
    if now.isFinished { broadcast.finish() } else { progress[id] = broadcast }
    return broadcast.values()
  }

  func currentProgress(of id: UUID) -> AttachmentProgress? {
    guard let entry = machine.book.entry(id) else { return nil }
    let size = entry.body.size
    if machine.held.contains(id) {
      return AttachmentProgress(completedBytes: size, totalBytes: size, isFinished: true)
    }
    return AttachmentProgress(
      completedBytes: machine.downloads[id]?.presentBytes ?? 0, totalBytes: size,
      isFinished: false)
  }

  // MARK: - What happens

  private func handle(_ input: Inbox.Input) async {
    guard !isEnded else { return }
    switch input {
    case .party(.received(let data, let sender)):
      inbox.packetTaken()
      perform(machine.received(data, from: sender, at: .now()))
    case .party(.members(let seniors)): perform(machine.membersChanged(seniors, at: .now()))
    case .party(.link(isUp: true)):
      if !machine.isConnected { perform(machine.connected(at: .now())) }
    case .party(.link(isUp: false)):
      machine.disconnected()
      schedule()
    case .flush: break
    case .cancel(let id, let waiter):
      if let continuation = waiters[id]?.removeValue(forKey: waiter) {
        machine.demandEnded(id)
        continuation.resume(returning: .cancelled)
      }
    }
    await flush()
  }

  private func timerFired() async {
    guard !isEnded else { return }
    timer = nil
    timerDeadline = nil
    perform(machine.timerFired(at: .now()))
    await flush()
  }

  private func schedule() {
    guard !isEnded, let deadline = machine.nextDeadline else {
      timer?.cancel()
      timer = nil
      timerDeadline = nil
      return
    }
    if let timerDeadline, timer != nil, timerDeadline <= deadline { return }
    timer?.cancel()
    timerDeadline = deadline
    timer = Task { [weak self] in
      try? await Task.sleep(for: max(Duration.zero, deadline - .now()), clock: .suspending)
      if !Task.isCancelled { await self?.timerFired() }
    }
  }

  private func flush() async {
    for liar in liars.subtracting(toldLiars) {
      toldLiars.insert(liar)
      await party.warnOfJournal(of: liar)
    }
    guard !outgoing.isEmpty else { return }
    let batch = outgoing
    outgoing = []
    await party.sendJournal(batch, session: session)
  }

  // MARK: - What has to be done

  private func perform(_ actions: [JournalAction]) {
    for action in actions { perform(action) }
    schedule()
  }

  private func perform(_ action: JournalAction) {
    switch action {
    case .send(let message, let recipient): outgoing.append((message.encoded(), recipient))
    case .serve(let id, let piece, let recipient): serve(id, piece, to: recipient)
    case .begin(let id, let layout, let isEager):
      store(id) { store throws(JournalError) in
        try store.begin(id, layout, isEager: isEager)
      }
    case .write(let id, let piece, let bytes):
      store(id) { store throws(JournalError) in try store[id]?.write(piece, bytes) }
    case .discard(let id): store.discard(id)
    case .changed: entries.send(machine.book.entries)
    case .progressed(let id):
      if let broadcast = progress[id], let now = currentProgress(of: id) { broadcast.send(now) }
    case .completed(let id):
      // The last piece may not have found room.
      if machine.held.contains(id) { finish(id, nil) }
    case .failed(let id, .removed): finish(id, .removed)
    case .failed(let id, .unavailable): finish(id, .unavailable)
    case .lied(let id): liars.insert(id)
    }
  }

  private func serve(_ id: UUID, _ piece: Piece, to recipient: Participant.ID) {
    guard let file = store[id], let bytes = try? file.read(piece) else {
      _ = lost(id)
      outgoing.append((JournalMessage.missing(id).encoded(), .only(recipient)))
      return
    }
    outgoing.append((JournalMessage.piece(id, piece, bytes).encoded(), .only(recipient)))
  }

  /// A file of ours isn't what it was; whoever asks is told that we don't have it.
  private func lost(_ id: UUID) -> JournalError {
    let path = store[id]?.chunks.path ?? "an attachment's file"
    store.discard(id)
    perform(machine.lost(id, at: .now()))
    return .storage("\(path) is not what it was when it was added")
  }

  private func store(
    _ id: UUID, _ body: (inout AttachmentStore) throws(JournalError) -> Void
  ) {
    do {
      try body(&store)
    } catch {
      machine.storageFailed(id)
      store.discard(id)
      finish(id, error)
    }
  }

  private func finish(_ id: UUID, _ error: JournalError?) {
    for continuation in (waiters.removeValue(forKey: id) ?? [:]).values {
      machine.demandEnded(id)
      continuation.resume(returning: error)
    }
    progress.removeValue(forKey: id)?.finish()
  }
}

/// What comes to a keeper, in order. What other participants send is bounded: they send it again.
private final class Inbox: Sendable {
  enum Input: Sendable {
    case party(JournalInput)
    /// Something is to be sent.
    case flush
    case cancel(UUID, waiter: Int)
  }

  let inputs: AsyncStream<Input>
  private let continuation: AsyncStream<Input>.Continuation
  private let packets = Atomic(0)
  /// Some more than may be asked for at once.
  private static let packetLimit = 128

  init() { (inputs, continuation) = AsyncStream.makeStream() }

  func put(_ input: JournalInput) {
    if case .received = input {
      guard packets.load(ordering: .relaxed) < Self.packetLimit else { return }
      packets.add(1, ordering: .relaxed)
    }
    continuation.yield(.party(input))
  }

  func put(_ input: Input) { continuation.yield(input) }
  func packetTaken() { packets.subtract(1, ordering: .relaxed) }
  func close() { continuation.finish() }
}

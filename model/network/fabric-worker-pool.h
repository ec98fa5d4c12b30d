/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WORKER_POOL_H
#define FABRIC_WORKER_POOL_H

#include <cstdint>
#include <functional>
#include <memory>

namespace ns3::fabric
{

/// Threads that do pieces of work beside the calling thread. They are those of the library Asio.
class WorkerPool
{
  public:
    /**
     * @param workers with the calling thread, 1 or more
     * @throws std::invalid_argument if there are more than one and the module was built without
     * Asio
     */
    explicit WorkerPool(uint32_t workers);
    ~WorkerPool();

    /// Does work(0) on the calling thread and work(1), ..., work(workers - 1) on the others, and
    /// waits until all are done. If some throw, the exception of the first of them is thrown again.
    void Run(const std::function<void(uint32_t)>& work);

  private:
    class Threads;

    std::unique_ptr<Threads> m_threads; ///< Without the calling one; null if there are none.
};

} // namespace ns3::fabric

#endif // FABRIC_WORKER_POOL_H

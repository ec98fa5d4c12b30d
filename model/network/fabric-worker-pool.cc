/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-worker-pool.h"

#include <stdexcept>

#ifdef FABRIC_HAS_ASIO

#define ASIO_STANDALONE
#ifdef __SANITIZE_THREAD__
// The sanitizer knows no fences. The mutexes of Asio's queue and of ours order what matters.
#define ASIO_DISABLE_FENCED_BLOCK
#endif
#include <asio/post.hpp>
#include <asio/thread_pool.hpp>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

#endif

namespace ns3::fabric
{

#ifdef FABRIC_HAS_ASIO

/// The other threads, and who waits for them.
class WorkerPool::Threads
{
  public:
    /// @param threads how many
    explicit Threads(uint32_t threads)
        : m_errors(threads + 1),
          m_pool(threads)
    {
    }

    /// @copydoc WorkerPool::Run()
    void Run(const std::function<void(uint32_t)>& work)
    {
        m_left = static_cast<uint32_t>(m_errors.size()) - 1;
        for (uint32_t worker = 1; worker < m_errors.size(); ++worker)
        {
            asio::post(m_pool, [this, &work, worker] {
                Attempt(work, worker);
                Finish();
            });
        }
        Attempt(work, 0);
        Wait();
        for (const std::exception_ptr& error : m_errors)
        {
            if (error)
            {
                std::rethrow_exception(error);
            }
        }
    }

  private:
    /// Does the work of one worker and keeps what it throws.
    void Attempt(const std::function<void(uint32_t)>& work, uint32_t worker)
    {
        m_errors[worker] = nullptr;
        try
        {
            work(worker);
        }
        catch (...)
        {
            m_errors[worker] = std::current_exception();
        }
    }

    /// One of the others is done.
    void Finish()
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        if (--m_left == 0)
        {
            m_done.notify_one();
        }
    }

    /// Waits until the others are done.
    void Wait()
    {
        std::unique_lock<std::mutex> lock(m_mutex);
        m_done.wait(lock, [this] { return m_left == 0; });
    }

    std::vector<std::exception_ptr> m_errors; ///< By worker.
    std::mutex m_mutex;                       ///< Guards m_left.
    std::condition_variable m_done;           ///< m_left is 0.
    uint32_t m_left{0};                       ///< Other threads that are not done.
    asio::thread_pool m_pool;                 ///< The other threads; they end first.
};

#else

/// There is no library that has threads.
class WorkerPool::Threads
{
  public:
    /// Refuses.
    explicit Threads(uint32_t)
    {
        throw std::invalid_argument(
            "ns3::FabricNetwork::Threads: the module was built without the library Asio (Debian: "
            "libasio-dev), so that 1 is the only number of threads allowed");
    }

    /// Never called.
    void Run(const std::function<void(uint32_t)>&)
    {
    }
};

#endif

WorkerPool::WorkerPool(uint32_t workers)
    : m_threads(workers > 1 ? std::make_unique<Threads>(workers - 1) : nullptr)
{
}

WorkerPool::~WorkerPool() = default;

void
WorkerPool::Run(const std::function<void(uint32_t)>& work)
{
    if (m_threads)
    {
        m_threads->Run(work);
    }
    else
    {
        work(0);
    }
}

} // namespace ns3::fabric
